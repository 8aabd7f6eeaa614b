/// System calls that differ between Linux and Darwin, each under one name. Only the extensions of this type contain
/// code for one of the two systems. Unless a comment says otherwise, a result below 0 means failure, with the reason in
/// `errno`.
enum SystemCalls {}
