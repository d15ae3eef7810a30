"""Questions of OpenSSH that are no passwords: whether to trust a key. They are answered no, always."""

import os
import re

_YES_NO = re.compile(r"\(yes/no|fingerprint|authenticity of host|Are you sure|\[y/n\]", re.IGNORECASE)


def is_confirmation(question: str) -> bool:
    """Tell whether a question wants yes or no, or is only shown (SSH_ASKPASS_PROMPT of OpenSSH 8.2)."""
    return os.environ.get("SSH_ASKPASS_PROMPT", "") in ("confirm", "none") or _YES_NO.search(question) is not None
