"""The credential broker: runs `db-query` and `db-schema` for callers that must not see the secrets.

`python -m dbtools.broker` serves; `python -m dbtools.broker.launch` starts it from root and becomes
the unprivileged program; `client` is what the two commands run instead of themselves.
"""
