import Glibc

/// Users and groups of this machine.
package enum SystemAccounts {
  /// Why an account cannot be used, on one line with the remedy.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
  }

  struct User: Hashable, Sendable {
    var name: String
    var id: uid_t
    var group: gid_t
    var home: String
  }

  /// Bytes for the texts of an account: more than any has, even a group with thousands of members.
  private static let textBytes = 1 << 20

  /// The number of a group; nil for the empty name.
  package static func group(_ name: String) throws(Failure) -> UInt32? {
    if name.isEmpty { return nil }
    var entry = Glibc.group()
    let id: UInt32? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: textBytes) {
      var found: UnsafeMutablePointer<Glibc.group>?
      guard getgrnam_r(name, &entry, $0.baseAddress!, $0.count, &found) == 0 else { return nil }
      return found?.pointee.gr_gid
    }
    guard let id else {
      throw Failure(
        "admin: socket-group: there is no group \"\(name)\" here; "
          + "make it (addgroup --system \(name)), or name another one")
    }
    return id
  }

  static func user(_ name: String) throws(Failure) -> User {
    var entry = passwd()
    let user: User? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: textBytes) {
      var found: UnsafeMutablePointer<passwd>?
      guard getpwnam_r(name, &entry, $0.baseAddress!, $0.count, &found) == 0,
        let user = found?.pointee
      else { return nil }
      return User(
        name: name, id: user.pw_uid, group: user.pw_gid, home: String(cString: user.pw_dir))
    }
    guard let user else {
      throw Failure(
        "there is no user \"\(name)\" here; make it "
          + "(adduser --system --group \(name)), or name another one")
    }
    return user
  }
}
