/// An overlay that is imported into every file that imports Testing and CoreGraphics. On Apple's platforms it attaches
/// pictures to tests; here it is empty.
