import Glibc
/// The calls on files.
public struct FileCalls: Sendable {
  public static let posix = FileCalls()
}
