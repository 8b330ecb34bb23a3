import Foundation
import Logging
import Synchronization

/// The users of an htpasswd file, as `htpasswd -B` writes them: a line of `USER:HASH` each.
package final class PasswordFile: Sendable {
  let path: String
  private let logger: Logger
  private let users = Mutex<[String: PasswordHash]>([:])

  /// Makes the value without users, until the file is read.
  init(path: String, logger: Logger) {
    self.path = path
    self.logger = logger
  }

  /// Reads the file. Blocks. When it cannot be read, the earlier users stay.
  func read() {
    do throws(ConfigurationError) {
      let (users, mistakes) = Self.parse(try NamedFile.contents(ofFile: path))
      for mistake in mistakes { logger.warning("\(Secrecy.pathOfSecret(path)):\(mistake)") }
      self.users.withLock { $0 = users }
    } catch {
      let reasons = error.problems.map(\.message).joined(separator: "; ")
      logger.error("\(Secrecy.pathOfSecret(path)): \(reasons); \(consequence)")
    }
  }

  private var consequence: String {
    users.withLock(\.isEmpty) ? "no user of this file may listen" : "the users read before stay"
  }

  /// Most mistakes that are told.
  private static let mistakesMax = 20

  /// Returns the users, and what is wrong with which line. Pure.
  package static func parse(_ data: Data) -> (users: [String: PasswordHash], mistakes: [String]) {
    var users: [String: PasswordHash] = [:]
    var mistakes: [String] = []
    var leftOut: (line: Int, count: Int)?
    func tell(_ line: Int, _ mistake: @autoclosure () -> String) {
      if mistakes.count < mistakesMax { return mistakes.append("\(line): \(mistake())") }
      leftOut = (leftOut?.line ?? line, (leftOut?.count ?? 0) + 1)
    }
    let lines = data.split(separator: 10, omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      let line = String(decoding: bytes.last == 13 ? bytes.dropLast() : bytes, as: UTF8.self)
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
        tell(index + 1, "is not USER:HASH; write it with htpasswd -B")
        continue
      }
      let user = String(line[..<colon])
      guard let hash = PasswordHash(String(line[line.index(after: colon)...])) else {
        tell(
          index + 1,
          "\(Secrecy.quoted(user)) has a kind of hash that is not supported; make it with htpasswd -B"
        )
        continue
      }
      users[user] = hash
    }
    if let leftOut {
      mistakes.append("\(leftOut.line): from here on \(leftOut.count) lines are wrong")
    }
    return (users, mistakes)
  }

  func hash(of user: String) -> PasswordHash? { users.withLock { $0[user] } }

  /// A hash to check when a user does not exist, so that the time of an answer does not tell which users exist.
  var anyHash: PasswordHash? { users.withLock { $0.values.first } }
}
