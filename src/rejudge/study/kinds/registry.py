"""The kinds of question, by name: one module each, and this table of all of them."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias, Union

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema

from rejudge.study.kinds.best_worst import BestWorst
from rejudge.study.kinds.pairwise import Pairwise
from rejudge.study.kinds.question import (
    Question,
)
from rejudge.study.kinds.ranking import Ranking
from rejudge.study.kinds.rating import Rating
from rejudge.study.kinds.segments import Segments
from rejudge.study.kinds.slider import Slider

KINDS: dict[str, type[Question]] = {
    kind.kind_name(): kind for kind in (Pairwise, Rating, Slider, BestWorst, Ranking, Segments)
}


class OneOfKinds:
    """Lets pydantic read a question as one of the registered kinds, chosen by its `kind`."""

    @staticmethod
    def parts() -> tuple[type[Question], ...]:
        """The classes that a question can have."""
        return tuple(KINDS.values())

    def __get_pydantic_core_schema__(
        self,
        source: Any,  # a type expression
        handler: GetCoreSchemaHandler,
    ) -> CoreSchema:
        choice: Any = Annotated[Union[self.parts()], Field(discriminator="kind")]  # noqa: UP007 - at run time
        return handler.generate_schema(choice)


AnyQuestion: TypeAlias = Annotated[Question, OneOfKinds()]
