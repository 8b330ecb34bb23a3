import Timeshift
import Wire

/// The head of a stream's answer: what players know, in the spelling they know. The body runs until the connection
/// closes, in HTTP/1.0 and 1.1 alike: a stream is never chunked.
struct StreamHead {
  var version: HTTPVersion
  var serverName: String
  var mount: Mount
  /// Format where the listener begins.
  var format: AudioFormat?
  /// Measured bitrate in kbit/s; 0 when it is not known.
  var bitrate: Double
  /// Media seconds behind live.
  var offset: Double
  /// Audio bytes between two ICY blocks; nil when titles were not asked for.
  var metaint: Int?
  var session: SessionToken?
  /// Where the first byte of audio stands; nil where nothing is there yet.
  var relay: Relay?

  /// What a relay needs to know of the place where its stream begins.
  struct Relay {
    var place: RelayPlace
    /// Gaps in what follows, for a relay that goes on.
    var gaps: [RelayGap] = []
    /// Seconds missing in front of the first byte, of what the relay has not got; nil for none, or where not known.
    var lost: Double?
    /// For a relay: the logs that the audio may come through.
    var via: [LogID] = []
  }

  func bytes(now: WallTime) -> [UInt8] {
    let shown = format.map { ShownFormat($0, announced: mount.description.announced) }
    var fields = HTTPFields([
      (name: "Server", value: serverName),
      (name: "Date", value: now.httpDate),
      (name: "Connection", value: "close"),
      (name: "Content-Type", value: shown?.mediaType ?? "application/octet-stream"),
      (name: CacheControl.none.name, value: CacheControl.none.value),
    ])
    let further = mount.description.further.map(\.name)
    for field in [CORS.anyOrigin, CORS.exposing(further), Sniffing.off] {
      fields.append(field.name, field.value)
    }
    addDescription(&fields, shown)
    fields.append("Longwave-Offset", Self.seconds(offset))
    if let relay { add(relay, to: &fields) }
    if let session { fields.append("Longwave-Session", session.text) }
    if let metaint { fields.append("icy-metaint", String(metaint)) }
    return HTTPResponseHead(version: version, status: 200, fields: fields).bytes()
  }

  private func add(_ relay: Relay, to fields: inout HTTPFields) {
    fields.append(RelayField.log, relay.place.log.description)
    fields.append(RelayField.position, String(relay.place.position))
    if !relay.via.isEmpty { fields.append(RelayField.via, RelayVia.text(relay.via)) }
    if let lost = relay.lost { fields.append(RelayField.lost, Self.seconds(lost)) }
    if relay.gaps.isEmpty { return }
    let gaps = relay.gaps.map { "\($0.position)=\(Self.seconds($0.seconds))" }
    fields.append(RelayField.gaps, gaps.joined(separator: ", "))
  }

  private func addDescription(_ fields: inout HTTPFields, _ format: ShownFormat?) {
    let description = mount.description
    fields.append("icy-name", description.name.isEmpty ? mount.station : description.name)
    if !description.genre.isEmpty { fields.append("icy-genre", description.genre) }
    if !description.homepage.isEmpty { fields.append("icy-url", description.homepage) }
    if !description.text.isEmpty { fields.append("icy-description", description.text) }
    for field in description.further { fields.append(field.name, field.value) }
    let bitrate =
      description.bitrate
      ?? Int(bounded: self.bitrate.rounded(), in: 0...Bounds.bitrates.upperBound)
    if bitrate > 0 { fields.append("icy-br", String(bitrate)) }
    fields.append("icy-pub", description.isPublic ? "1" : "0")
    if let format {
      let info = "bitrate=\(bitrate);samplerate=\(format.sampleRate);channels=\(format.channels)"
      fields.append("ice-audio-info", info)
    }
  }

  /// Returns seconds with three decimals, as everywhere.
  static func seconds(_ value: Double) -> String {
    let thousandths = Int(bounded: (value * 1000).rounded())
    let fraction = String(1000 + thousandths % 1000).dropFirst()
    return "\(thousandths / 1000).\(fraction)"
  }
}
