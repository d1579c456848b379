"""The read-only guard: one verdict for one statement, before anything is sent."""
