import Server
import Timeshift
import Wire

/// A listener as a JSON object, for administrators only.
extension ListenerSnapshot: ShapedObject {
  package static let shape: [Shape<Self>] = [
    Shape("id", \.id), Shape("station", \.station), Shape("address", \.address),
    Shape("user", \.user), Shape("player", \.player), Shape("protocol", \.protocolName),
    Shape("connectedAt", \.connectedAt), Shape("seconds", \.seconds), Shape("bytes", \.bytes),
    Shape("offset", \.offset), Shape("lag", \.lag), Shape("state", \.state),
    Shape("session") { $0.session?.text },
    Shape("nowPlaying", Schema.named("NowPlaying")) {
      ($0.title.map(NowPlaying.init) ?? NowPlaying()).json
    },
  ]
}

extension ListenerSnapshot.State: Shaped {}
