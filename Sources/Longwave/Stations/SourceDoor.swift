import Logging
import Server
import Wire

/// Decides which sources may push a station's audio.
struct SourceDoor {
  let stations: StationTable
  let logger: Logger

  /// Whether a source may push at `path` with this password.
  func welcome(sourceAt path: String, password: [UInt8]?) -> SourceWelcome {
    guard let station = station(at: path) else { return .noStation }
    guard station.definition.takesSources, !station.isStopped else {
      return .takesNone(station.id)
    }
    let own = station.definition.sourcePassword ?? ""
    return AdminAccess.areEqual(password ?? [], own) ? .welcome(station.id) : .wrongPassword
  }

  /// Whether a source of SHOUTcast's first protocol may push; its password says which station is meant.
  func welcome(_ login: ShoutcastLogin, from host: String) -> SourceWelcome {
    guard let station = login.readings.compactMap({ station(of: $0) }).first else {
      logger.info("a source from \(host) has no station's source password")
      return .wrongPassword
    }
    if station.isStopped {
      logger.info("\(station.id): a source from \(host) is refused: the station is stopped")
      return .takesNone(station.id)
    }
    return .welcome(station.id)
  }

  /// Returns the station that a source's password opens: at the path `mount` or, without one, at any station.
  func station(ofSource password: [UInt8], at mount: String?) -> String? {
    station(of: .init(password: password, mount: mount))?.id
  }

  /// Returns the station that a login opens. Without a path and a number, the password says which station is meant.
  private func station(of login: ShoutcastLogin.Reading) -> RelayStation? {
    var possible = stations.inOrder
    if let mount = login.mount {
      possible = station(at: mount).map { [$0] } ?? []
    }
    if let sid = login.sid { possible = possible.filter { $0.sid == sid } }
    return possible.first {
      $0.definition.takesSources
        && AdminAccess.areEqual(login.password, $0.definition.sourcePassword ?? "")
    }
  }

  private func station(at path: String) -> RelayStation? {
    MountName.find(path, in: stations.inOrder) { $0.definition.paths }
  }
}

/// The answer to a source that wants to push.
package enum SourceWelcome: Hashable, Sendable {
  case noStation
  /// The station takes no sources, or is stopped.
  case takesNone(String)
  case wrongPassword
  case welcome(String)
}
