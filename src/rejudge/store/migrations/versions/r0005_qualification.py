"""How far people are in the qualification, and the code of those who did not pass."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them; nothing that is there changes."""
    op.add_column("study", sa.Column("code_not_qualified", sa.Text(), nullable=True))
    op.add_column("visit", sa.Column("attempts", sa.Integer(), nullable=False, server_default="0"))
    for name in ("qualified_at", "unqualified_at", "qualifying_until"):
        op.add_column("visit", sa.Column(name, sa.BigInteger(), nullable=True))
    op.create_index("visit_qualifying_idx", "visit", ["study", "qualifying_until"])
