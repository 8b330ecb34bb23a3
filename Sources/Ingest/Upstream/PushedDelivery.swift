import Reactor
import Wire

/// The connection of a source that pushes.
final class PushedDelivery: BodyDelivery {
  private static let hasGone = "the source has gone"

  let askedURL = PushSource.url
  weak var owner: (any UpstreamDeliveryOwner)?
  var transfer: PushTransfer?
  let body: AudioBody
  let silence: SilenceWatch
  /// The source's address; nil for a source on this machine by the Unix socket.
  let peer: SocketAddress?

  /// Nothing happens before `start`.
  init(_ source: PushSource, by maker: DeliveryMaker, owner: any UpstreamDeliveryOwner) {
    self.owner = owner
    body = maker.body()
    // A source that sends text is refused by its first bytes.
    silence = maker.silence(beginningSecondsMax: .infinity)
    peer = source.peer
    silence.onSilence = { [unowned self] in end(.timedOut(reason: $0)) }
    transfer = PushTransfer(source, on: maker.machinery.loop, owner: self)
  }

  func start() {
    // A source that has logged in may still have to send its fields.
    silence.begin()
    transfer?.start()
  }

  /// Whether the source is still there, or has not been started.
  var isThere: Bool { transfer?.isOver != true }

  /// An encoder may pause.
  var isLive: Bool { false }
  var stitchSource: StitchSource { StitchSource(hasPast: false, mayPause: true) }

  func speaker(of entry: String) -> TitleSpeaker {
    let agent = headers?.fields.first { $0.name.lowercased() == "user-agent" }?.value
    return .encoder(address: peer?.host ?? "", agent: agent, name: headers?.name)
  }

  func begins(with bytes: [UInt8], as kind: BodyKind) {
    switch kind {
    case .playlist: end(.notAudio(reason: "a source sends audio, not a playlist"))
    case .refusal(let status): end(.status(status))
    case .page: end(.notAudio(reason: "the answer is a web page"))
    case .audio: beginAudio(bytes)
    }
  }

  /// A source that ends without audio may come again: nothing is wrong with the station.
  func bodyEnded() {
    end(
      body.isAudio
        ? .saidGoodbye(reason: Self.hasGone) : .disconnected(reason: Self.hasGone))
  }
}
