"""The default method, whole: what it believes (`belief`), the kernel behind it (`kernel/`), how it chooses."""
