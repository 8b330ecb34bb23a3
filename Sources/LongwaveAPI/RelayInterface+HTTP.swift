import Longwave

extension RelayInterface {
  /// The whole interface: the HTTP API of `/api/v1/openapi.json`, events, metrics, the pages of Icecast and SHOUTcast,
  /// and sources.
  public static let http = RelayInterface { relay, rights, limits in
    APIRouter(relay: relay, rights: rights, limits: limits)
  }
}
