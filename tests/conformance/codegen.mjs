// Generates types and persisted documents for a front end's documents into build/codegen, as graphql-codegen's client preset
// does. Prints the names of the files.
import { generate } from '@graphql-codegen/cli';

const files = await generate({
  silent: true,
  schema: '../../schema.graphql',
  documents: '../documents/*.graphql',
  generates: {
    'build/codegen/': {
      preset: 'client',
      presetConfig: { persistedDocuments: { hashAlgorithm: 'sha256' } },
      config: { useTypeImports: true, strictScalars: true, scalars: { BigInt: 'number', DateTime: 'string', JSON: 'unknown' } },
    },
  },
});
console.log(JSON.stringify(files.map(({ filename }) => filename)));
