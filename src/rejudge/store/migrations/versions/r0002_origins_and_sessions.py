"""Where unproven arrivals come from, and who is logged in; access that ends by itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them; nothing that is there changes."""
    op.create_table(
        "origin",
        sa.Column(
            "visit",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("browser", sa.Text(), nullable=False),
        sa.Column("noted_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("origin_study_fkey")),
        sa.ForeignKeyConstraint(["visit"], ["visit.id"], name=op.f("origin_visit_fkey")),
        sa.PrimaryKeyConstraint("visit", name=op.f("origin_pkey")),
    )
    op.create_index("origin_study_address_idx", "origin", ["study", "address"])
    op.create_index("origin_study_browser_idx", "origin", ["study", "browser"])
    op.add_column("token", sa.Column("expires_at", sa.BigInteger(), nullable=True))
    op.create_table(
        "session",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("began_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("session_study_fkey")),
        sa.ForeignKeyConstraint(["token"], ["token.id"], name=op.f("session_token_fkey")),
        sa.PrimaryKeyConstraint("hash", name=op.f("session_pkey")),
    )
