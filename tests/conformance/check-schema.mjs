// What breaks clients between two schemas: the last release's and the exported one, or the files given. Prints each breaking
// change on a line of its own, and fails if there is one. What was deprecated before may go.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { ChangeType, CriticalityLevel, diff, DiffRule } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

const root = fileURLToPath(new URL('../../', import.meta.url));
const byVersion = new Intl.Collator('en', { numeric: true }).compare;
const lastRelease = () => `${root}releases/${readdirSync(`${root}releases`).sort(byVersion).at(-1)}`;

/** The library's rule knows of fields and of members of enumerations; arguments are deprecated too. */
function allowRemovalOfDeprecatedArguments({ changes, oldSchema }) {
  return changes.filter(({ type, meta }) => {
    if (type !== ChangeType.FieldArgumentRemoved) return true;
    const field = oldSchema.getType(meta.typeName).getFields()[meta.fieldName];
    return !field.args.find(({ name }) => name === meta.removedFieldArgumentName).deprecationReason;
  });
}

const [before = lastRelease(), after = `${root}schema.graphql`] = process.argv.slice(2);
const [from, to] = [before, after].map((path) => buildSchema(readFileSync(path, 'utf8')));
const changes = await diff(from, to, [DiffRule.suppressRemovalOfDeprecatedField, allowRemovalOfDeprecatedArguments]);

const breaking = changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
for (const { message } of breaking) console.log(message);
process.exitCode = breaking.length ? 1 : 0;
