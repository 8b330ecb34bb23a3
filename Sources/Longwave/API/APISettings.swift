import Synchronization

/// What the API has of the configuration, which may change while it runs. Read once a request.
final class APISettings: Sendable {
  private let rights: Mutex<AdminAccess>

  init(_ configuration: Configuration) { rights = Mutex(Self.access(of: configuration)) }

  func set(_ configuration: Configuration) {
    rights.withLock { $0 = Self.access(of: configuration) }
  }

  var access: AdminAccess { rights.withLock { $0 } }

  private static func access(of configuration: Configuration) -> AdminAccess {
    AdminAccess(token: configuration.admin.token)
  }
}
