"""What a platform says about submissions, and which of its notifications were followed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them; nothing that is there changes."""
    op.create_table(
        "submission",
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("visit", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reported_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("submission_study_fkey")),
        sa.ForeignKeyConstraint(["visit"], ["visit.id"], name=op.f("submission_visit_fkey")),
        sa.PrimaryKeyConstraint("study", "mark", name=op.f("submission_pkey")),
    )
    op.create_index("submission_visit_idx", "submission", ["visit"])
    op.create_table(
        "delivery",
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("delivery_study_fkey")),
        sa.PrimaryKeyConstraint("study", "name", name=op.f("delivery_pkey")),
    )
