import Glibc

/// What a call on a file answers while this process or the machine has too few descriptors or too little memory.
///
/// It passes, most likely soon, and says nothing of the file that was asked for.
public enum Shortage {
  public static let codes: Set<Int32> = [EMFILE, ENFILE, ENOMEM, EAGAIN]
}

extension StorageError {
  public var isShortage: Bool { Shortage.codes.contains(code) }
}
