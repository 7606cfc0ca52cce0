import "./workers";
import "@graphiql/react/style.css";
import "@graphiql/plugin-doc-explorer/style.css";
import "@graphiql/plugin-explorer/style.css";
import "@graphiql/plugin-history/style.css";
import "graphiql/graphiql.css";
import "@fontsource/fira-code/latin-400.css";
import "@fontsource/roboto/latin-400.css";
import "@fontsource/roboto/latin-500.css";
import "./style.css";

import { explorerPlugin } from "@graphiql/plugin-explorer";
import { HISTORY_PLUGIN } from "@graphiql/plugin-history";
import { GraphiQL } from "graphiql";
import { createRoot } from "react-dom/client";

import { ask, examples } from "./graph";
import { storage } from "./storage";

const EXPLORER = explorerPlugin({ showAttribution: false });
const PLUGINS = [EXPLORER, HISTORY_PLUGIN];

const queries = await examples();

createRoot(document.getElementById("explorer")!).render(
  <GraphiQL
    fetcher={ask}
    storage={storage}
    plugins={PLUGINS}
    visiblePlugin={EXPLORER}
    defaultTabs={queries.map((query) => ({ query }))}
    defaultQuery=""
    defaultEditorToolsVisibility="headers"
    inputValueDeprecation
    schemaDescription
    shouldPersistHeaders={false}
  >
    <GraphiQL.Logo>VAMS Graph</GraphiQL.Logo>
  </GraphiQL>,
);
