/// System calls that differ between systems, under one name each. Only the extensions for Linux and Darwin know which
/// system it is. Unless a comment says otherwise, a result below 0 means failure, with the reason in `errno`.
enum SystemCalls {}
