/// The sources that this was built from.
public enum Repository {
  /// Its folder, without a slash behind it.
  public static let root = String(#filePath.dropLast("/Tests/TestSupport/Repository.swift".count))

  /// A file of it, by its path below the root.
  public static func text(_ path: String) throws -> String {
    String(decoding: try readFile("\(root)/\(path)"), as: UTF8.self)
  }
}
