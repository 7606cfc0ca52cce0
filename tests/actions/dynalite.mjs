// Serves dynalite, a DynamoDB in memory, on a free port of loopback, and prints the port.
import { createRequire } from "node:module";

const require = createRequire(new URL("../conformance/package.json", import.meta.url));
const server = require("dynalite")({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
