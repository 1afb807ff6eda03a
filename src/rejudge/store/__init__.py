"""Where collected work is kept: SQLite or PostgreSQL behind one interface, one lock per study."""
