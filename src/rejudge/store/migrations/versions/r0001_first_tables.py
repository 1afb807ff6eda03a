"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "setting",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("setting_pkey")),
    )
    op.create_table(
        "study",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("wording", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("is_rehearsal", sa.Boolean(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("code_completed", sa.Text(), nullable=False),
        sa.Column("code_declined", sa.Text(), nullable=False),
        sa.Column("code_full", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("registered_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("study_pkey")),
        sa.UniqueConstraint("name", name=op.f("study_name_key")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "barred",
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("barred_study_fkey")),
        sa.PrimaryKeyConstraint("study", "mark", name=op.f("barred_pkey")),
    )
    op.create_table(
        "batch",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("places", sa.Integer(), nullable=False),
        sa.Column("held", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.CheckConstraint("held >= 0 AND done >= 0", name=op.f("batch_live_check")),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("batch_study_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("batch_pkey")),
        sa.UniqueConstraint("study", "name", name=op.f("batch_study_name_key")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "consent_text",
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("consent_text_study_fkey")),
        sa.PrimaryKeyConstraint("study", "version", name=op.f("consent_text_pkey")),
    )
    op.create_table(
        "log",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("participant", sa.Text(), nullable=True),
        sa.Column("batch", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("log_study_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("log_pkey")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "participant",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("mark", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("participant_study_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("participant_pkey")),
        sa.UniqueConstraint("study", "mark", name=op.f("participant_study_mark_key")),
        sa.UniqueConstraint("study", "name", name=op.f("participant_study_name_key")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "token",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("is_one_time", sa.Boolean(), nullable=False),
        sa.Column("granted_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("token_study_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("token_pkey")),
        sa.UniqueConstraint("hash", name=op.f("token_hash_key")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "tombstone",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("participant", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("assignments", sa.Integer(), nullable=False),
        sa.Column("finished", sa.Integer(), nullable=False),
        sa.Column("answers", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("tombstone_study_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("tombstone_pkey")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "visit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("participant", sa.BigInteger(), nullable=False),
        sa.Column("arrived_at", sa.BigInteger(), nullable=False),
        sa.Column("consented_at", sa.BigInteger(), nullable=True),
        sa.Column("declined_at", sa.BigInteger(), nullable=True),
        sa.Column("consent_version", sa.Text(), nullable=True),
        sa.Column("instructed_at", sa.BigInteger(), nullable=True),
        sa.Column("practised_at", sa.BigInteger(), nullable=True),
        sa.Column("left_at", sa.BigInteger(), nullable=True),
        sa.Column("is_turned_away", sa.Boolean(), nullable=False),
        sa.Column("is_barred", sa.Boolean(), nullable=False),
        sa.Column("device", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("time_zone", sa.Text(), nullable=True),
        sa.Column("offset_minutes", sa.Integer(), nullable=True),
        sa.Column("is_zone_odd", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(
            ["participant"], ["participant.id"], name=op.f("visit_participant_fkey")
        ),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("visit_study_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("visit_pkey")),
        sqlite_autoincrement=True,
    )
    op.create_index("visit_participant_idx", "visit", ["participant"], unique=False)
    op.create_table(
        "assignment",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("participant", sa.BigInteger(), nullable=False),
        sa.Column("visit", sa.BigInteger(), nullable=False),
        sa.Column("batch", sa.BigInteger(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("claimed_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("submitted_at", sa.BigInteger(), nullable=True),
        sa.Column("returned_at", sa.BigInteger(), nullable=True),
        sa.Column("failed_checks", sa.Integer(), nullable=True),
        sa.Column("failed_strict", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["batch"], ["batch.id"], name=op.f("assignment_batch_fkey")),
        sa.ForeignKeyConstraint(
            ["participant"], ["participant.id"], name=op.f("assignment_participant_fkey")
        ),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("assignment_study_fkey")),
        sa.ForeignKeyConstraint(["visit"], ["visit.id"], name=op.f("assignment_visit_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("assignment_pkey")),
        sa.UniqueConstraint(
            "study", "participant", "batch", name=op.f("assignment_study_participant_batch_key")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("assignment_batch_idx", "assignment", ["batch"], unique=False)
    op.create_index(
        "assignment_held_idx",
        "assignment",
        ["participant"],
        unique=True,
        sqlite_where=sa.text("status = 'held'"),
        postgresql_where=sa.text("status = 'held'"),
    )
    op.create_index("assignment_visit_idx", "assignment", ["visit"], unique=False)
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("visit", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("batch", sa.BigInteger(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["batch"], ["batch.id"], name=op.f("event_batch_fkey")),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("event_study_fkey")),
        sa.ForeignKeyConstraint(["visit"], ["visit.id"], name=op.f("event_visit_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("event_pkey")),
        sqlite_autoincrement=True,
    )
    op.create_index("event_visit_idx", "event", ["visit"], unique=False)
    op.create_table(
        "identity",
        sa.Column(
            "visit",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("study", sa.BigInteger(), nullable=False),
        sa.Column("recruiter", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("session", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["study.id"], name=op.f("identity_study_fkey")),
        sa.ForeignKeyConstraint(["visit"], ["visit.id"], name=op.f("identity_visit_fkey")),
        sa.PrimaryKeyConstraint("visit", name=op.f("identity_pkey")),
        sa.UniqueConstraint(
            "study",
            "recruiter",
            "person",
            "session",
            name=op.f("identity_study_recruiter_person_session_key"),
        ),
    )
    op.create_table(
        "answer",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("visit", sa.BigInteger(), nullable=False),
        sa.Column("assignment", sa.BigInteger(), nullable=True),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("raw", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("shown_at", sa.BigInteger(), nullable=False),
        sa.Column("saved_at", sa.BigInteger(), nullable=False),
        sa.Column("active_seconds", sa.Float(), nullable=True),
        sa.Column("changes", sa.Integer(), nullable=False),
        sa.Column("blurs", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment"], ["assignment.id"], name=op.f("answer_assignment_fkey")
        ),
        sa.ForeignKeyConstraint(["visit"], ["visit.id"], name=op.f("answer_visit_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("answer_pkey")),
        sa.UniqueConstraint("visit", "key", "question", name=op.f("answer_visit_key_question_key")),
    )
