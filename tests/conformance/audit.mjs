// Runs the audits of graphql-http against the URL in argv[2]; prints a JSON list of {id, name, status, reason}.
import { auditServer } from 'graphql-http';

const results = await auditServer({ url: process.argv[2] });
console.log(JSON.stringify(results.map(({ id, name, status, reason }) => ({ id, name, status, reason }))));
