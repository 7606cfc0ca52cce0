from graphql import OperationDefinitionNode, parse

from graph.demo import welcome
from graph.explorer import EXAMPLES, Example
from tests.harness import Graph

ALL = [*EXAMPLES, *welcome.EXAMPLES]


def test_every_example_has_a_name_for_its_tab() -> None:
    for example in ALL:
        (operation,) = parse(example.document).definitions
        assert isinstance(operation, OperationDefinitionNode)
        assert operation.name is not None


async def test_every_example_has_an_answer_in_the_demo(graph: Graph) -> None:
    for example in ALL:
        data = await graph.data(example.document)
        assert all(data.values())


def test_a_document_is_laid_out_for_reading() -> None:
    example = Example("Who asks?", "query Me { me { name } }")
    assert example.document == "# Who asks?\nquery Me {\n  me {\n    name\n  }\n}\n"
