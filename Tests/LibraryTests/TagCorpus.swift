import Foundation
import Media
import TestSupport
import Wire

@testable import Library

/// Real files with every kind of tag, made once, and what mutagen reads of them: Tests/Corpus/corpus.py.
enum TagCorpus {
  struct Failure: Error, CustomStringConvertible { var description: String }

  /// Debian's Python, whose mutagen deploy/setup installs.
  private static let python = "/usr/bin/python3"
  private static let script = Repository.root + "/Tests/Corpus/corpus.py"

  private static let made: Result<(folder: TemporaryDirectory, names: [String]), any Error> = Result
  {
    let (folder, scratch) = (TemporaryDirectory(), TemporaryDirectory())
    try Tool.must([python, script, "make", folder.path], in: scratch)
    return (folder, folder.names)
  }

  static func names() throws -> [String] { try made.get().names }

  static func path(_ name: String) throws -> String { try made.get().folder.file(name) }

  static func bytes(_ name: String) throws -> [UInt8] { try readFile(path(name)) }

  static func open(_ path: String) throws -> MediaFile {
    guard let file = MediaFile(taking: Glibc.open(path, O_RDONLY | O_CLOEXEC)) else {
      throw Failure(description: "\(path) cannot be opened")
    }
    return file
  }

  /// What mutagen reads of each file: texts by field, and numbers in lists.
  static func oracle() throws -> [String: [String: Any]] {
    let paths = try names().map { try path($0) }
    let result = try Tool.must([python, script, "read"] + paths, in: TemporaryDirectory())
    var read: [String: [String: Any]] = [:]
    for line in String(decoding: result.output, as: UTF8.self).split(separator: "\n") {
      let pair = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any]
      if let name = pair?[0] as? String { read[name] = pair?[1] as? [String: Any] }
    }
    return read
  }

  /// Writes other tags into a file by mutagen.
  static func retag(_ path: String) throws {
    try Tool.must([python, script, "retag", path], in: TemporaryDirectory())
  }

  static func reader(
    patience: Double = TagReader.patience,
    charset: @escaping ([UInt8]) -> String = Charset.windows1252.decodeInvalid
  ) -> TagReader {
    TagReader(program: [Binary.longwave, TagChild.word], patience: patience, charset: charset)
  }
}
