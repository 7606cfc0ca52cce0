"""Physical table names: from the environment variables that VAMS uses, else from the deployment's SSM parameters."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from graph.tables.catalogue import TABLES, Table

PREFIX_VARIABLE = "VAMS_RESOURCE_PARAM_PREFIX"


class MissingTableNames(Exception):
    """Start-up cannot go on: some tables have no physical name."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.tables = tuple(tables)
        variables = "\n".join(f"  {table.variables[0]}  ({table.name})" for table in self.tables)
        super().__init__(
            f"No physical name for {len(self.tables)} table(s). Set these environment variables, or set "
            f"{PREFIX_VARIABLE} to the SSM prefix of the VAMS deployment:\n{variables}"
        )


def table_names(
    parameters: Callable[[str], Mapping[str, str]],
    environment: Mapping[str, str] = os.environ,
    tables: Sequence[Table] = TABLES,
    optional: Sequence[Table] = (),
) -> dict[Table, str]:
    """Return the physical name of each of some tables of the catalogue, and of optional ones that the deployment has.

    ``parameters`` maps a prefix to the SSM parameters below it, by their path relative to the prefix; it is called at
    most once, and only when the environment does not name every table.

    Raises:
        MissingTableNames: naming the variable of each table that neither source knows.
    """
    wanted = (*tables, *optional)
    names = {table: name for table in wanted if (name := _from_environment(table, environment))}
    prefix = environment.get(PREFIX_VARIABLE, "")
    if prefix and len(names) < len(wanted):
        below = parameters(prefix)
        names |= {t: below[t.parameter] for t in wanted if t not in names and below.get(t.parameter)}
    if missing := [table for table in tables if table not in names]:
        raise MissingTableNames(missing)
    return names


def ssm_parameters(client: Any) -> Callable[[str], Mapping[str, str]]:
    """Return a reader of the parameters below a prefix, over a boto3 SSM client; reads every page."""

    def read(prefix: str) -> Mapping[str, str]:
        path = "/" + prefix.strip("/")
        pages = client.get_paginator("get_parameters_by_path").paginate(Path=path, Recursive=True)
        root = path.rstrip("/") + "/"
        return dict(_relative(root, (parameter for page in pages for parameter in page["Parameters"])))

    return read


def _from_environment(table: Table, environment: Mapping[str, str]) -> str:
    return next((name for variable in table.variables if (name := environment.get(variable, ""))), "")


def _relative(root: str, parameters: Iterable[Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    for parameter in parameters:
        yield parameter["Name"].removeprefix(root), parameter["Value"]
