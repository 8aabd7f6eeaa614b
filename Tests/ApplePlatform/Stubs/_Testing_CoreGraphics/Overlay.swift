/// Whoever imports Testing and CoreGraphics has this imported beside them: on Apple's platforms it attaches pictures to
/// tests, and here it is empty.
