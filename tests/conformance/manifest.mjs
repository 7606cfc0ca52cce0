// Prints the manifest of what Apollo Client asks here, as Apollo's generator writes it.
import { defaults, generatePersistedQueryManifest } from '@apollo/generate-persisted-query-manifest';

const manifest = await generatePersistedQueryManifest({ ...defaults, documents: 'clients/documents/*.graphql' });
console.log(JSON.stringify(manifest));
