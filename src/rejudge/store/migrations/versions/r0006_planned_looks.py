"""Planned looks at the results, and the rule for stopping that people began under."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them; nothing that is there changes."""
    op.add_column("study", sa.Column("stop_rule", sa.Text(), nullable=True))
    op.create_table(
        "look",
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("look_study_fkey")),
        sa.PrimaryKeyConstraint("study", "number", name=op.f("look_pkey")),
    )
