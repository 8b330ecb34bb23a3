import Synchronization

/// Settings of the API, which may change while it runs; they are read once per request.
package final class AdminRights: Sendable {
  private let rights: Mutex<AdminAccess>
  /// Codes of links that lead to the dashboard.
  package let codes = DashboardCodes()
  /// What stands for listeners' passwords.
  package let passes = ListenerPasses()

  init(_ configuration: Configuration) { rights = Mutex(Self.access(of: configuration)) }

  func set(_ configuration: Configuration) {
    rights.withLock { $0 = Self.access(of: configuration) }
  }

  package var access: AdminAccess { rights.withLock { $0 } }

  private static func access(of configuration: Configuration) -> AdminAccess {
    AdminAccess(token: configuration.admin.token)
  }
}
