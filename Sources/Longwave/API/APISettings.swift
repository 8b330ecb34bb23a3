import Synchronization

/// What the API has of the configuration, which may change while it runs. Read once a request.
final class APISettings: Sendable {
  struct Values: Sendable {
    var access: AdminAccess
    /// What URLs begin with, without a slash at the end; nil: as the request's host says.
    var publicURL: String?

    init(_ configuration: Configuration) {
      access = AdminAccess(token: configuration.admin.token)
      publicURL = configuration.server.publicURL
    }
  }

  private let values: Mutex<Values>

  init(_ configuration: Configuration) { values = Mutex(Values(configuration)) }

  func set(_ configuration: Configuration) { values.withLock { $0 = Values(configuration) } }

  var current: Values { values.withLock { $0 } }
}
