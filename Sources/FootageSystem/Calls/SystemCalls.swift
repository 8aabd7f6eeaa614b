/// What systems spell differently, under one name each: only these two files of it know which system it is. Unless said
/// otherwise a result below 0 means failure, with the reason in `errno`.
enum SystemCalls {}
