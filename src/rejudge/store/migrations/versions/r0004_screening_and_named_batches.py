"""Who was screened out, with a code of their own, and which batch a link named."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; nothing that is there changes."""
    op.add_column("study", sa.Column("code_screened_out", sa.Text(), nullable=True))
    op.add_column("study", sa.Column("code_failed_checks", sa.Text(), nullable=True))
    op.add_column("visit", sa.Column("admitted_at", sa.BigInteger(), nullable=True))
    op.add_column("visit", sa.Column("screened_out_at", sa.BigInteger(), nullable=True))
    op.add_column("visit", sa.Column("sent_to", sa.Text(), nullable=True))
