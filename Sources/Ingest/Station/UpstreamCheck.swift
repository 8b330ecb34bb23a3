import Reactor
import Timeshift
import Wire

/// A try of one URL beside all stations, as a station would pull it: says what was found, and keeps nothing.
///
/// Lives on the ingest loop, owned by `UpstreamChecks`.
final class UpstreamCheck: UpstreamDeliveryOwner {
  /// Seconds for all of it; the answer has a second more.
  static let patience = 9.0
  /// Seconds that a title may come behind the first audio.
  private static let titlePatience = 3.0
  /// Seconds of audio by which the bit rate is measured.
  private static let measuredSeconds = 1.0
  /// Bytes after which a check ends, whatever it has found: 10 s at 1.6 Mbit/s.
  private static let bytesMax: UInt64 = 2 << 20
  /// Bytes of what is told of a step: a redirect may be as long as a head.
  private static let textBytesMax = 1000
  /// Connections of one check: a playlist may name hundreds of servers.
  private static let attemptsMax = 12

  private let deliveries: DeliveryMaker
  private let beganAt = MonotonicTime.now()
  private var list: UpstreamList
  private var attempts = 0
  private var delivery: (any UpstreamDelivery)?
  private var deadline: LoopTimer?
  private var titleTimer: LoopTimer?
  private var finding: UpstreamFinding
  private var audioBytes = 0
  private var audioSeconds = 0.0
  private var then: ((UpstreamFinding) -> Void)?

  init(
    _ url: String, settings: UpstreamSettings, machinery: IngestMachinery,
    then: @escaping (UpstreamFinding) -> Void
  ) {
    var settings = settings
    settings.urls = [url]
    deliveries = DeliveryMaker(settings, machinery: machinery)
    self.then = then
    list = UpstreamList([url])
    finding = UpstreamFinding(url: url)
    deadline = LoopTimer(machinery.clock) { [unowned self] in
      finish(else: "no audio within \(Int(Self.patience)) s")
    }
    titleTimer = LoopTimer(machinery.clock) { [unowned self] in finish(else: "") }
  }

  /// Called once, when the check is kept somewhere.
  func begin() {
    deadline?.set(after: Self.patience)
    connect()
  }

  private func connect() {
    attempts += 1
    delivery = deliveries.begin(list.current, owner: self) { [weak self] in self?.note($0) }
  }

  // MARK: What is found

  private func add(_ kind: UpstreamFinding.Step.Kind, _ text: String) {
    guard finding.steps.count < UpstreamFinding.stepsMax else { return }
    let seconds = MonotonicTime.now().seconds(since: beganAt)
    let cut = String(decoding: UTF8Text.prefix(text, bytes: Self.textBytesMax), as: UTF8.self)
    finding.steps.append(.init(kind: kind, text: cut, seconds: seconds))
  }

  private func note(_ step: TransferStep) {
    switch step {
    case .resolved(let address): add(.resolved, address)
    case .connected(let seconds): add(.connected, "in \(Int(bounded: seconds * 1000)) ms")
    case .redirected(let url): add(.redirected, URLText.withoutCredentials(url))
    case .said: break
    }
  }

  func deliveryOpened(_ headers: UpstreamHeaders) {
    finding.name = headers.name
    finding.bitrate = headers.bitrate
    let parts = [
      headers.mediaType, headers.bitrate.map { "\($0) kbit/s" }, headers.name,
      headers.metaint.map { "titles every \($0) bytes" },
    ]
    add(.answered, parts.compactMap(\.self).joined(separator: ", "))
  }

  func deliveryBrought(_ arrivals: Arrivals) {
    for item in arrivals.items {
      switch item {
      case .title(let title): receive(title)
      case .headers, .lost: break
      case .packet(let packet): receive(packet)
      }
    }
    guard finding.isPlayable, let delivery else { return }
    let isMeasured = audioSeconds >= Self.measuredSeconds
    let mayHaveTitle = finding.title == nil && delivery.headers?.metaint != nil
    if isMeasured && !mayHaveTitle || delivery.bodyBytes.received >= Self.bytesMax {
      finish(else: "")
    }
  }

  private func receive(_ title: Title) {
    guard finding.title != title.text, !title.text.isEmpty else { return }
    finding.title = title.text
    add(.title, title.text)
  }

  private func receive(_ packet: PacketScanner.Packet) {
    audioBytes = audioBytes.saturatingAdd(packet.range.count)
    audioSeconds += Double(packet.samples) / Double(packet.format.sampleRate)
    if finding.isPlayable { return }
    finding.isPlayable = true
    finding.codec = packet.format.codec
    let format = packet.format
    let channels = format.channels > 0 ? ", \(format.channels) channels" : ""
    add(.audio, "\(format.codec.name), \(format.sampleRate) Hz\(channels)")
    titleTimer?.set(after: Self.titlePatience)
  }

  // MARK: The end

  func deliveryEnded(_ end: UpstreamEnd) {
    let url = delivery?.shownURL ?? finding.url
    delivery = nil
    if case .playlist(let entries, let scope) = end, list.expand(into: entries, from: scope) {
      add(.playlist, "with \(entries.count) \(entries.count == 1 ? "entry" : "entries")")
      return goOn(because: "the URL has led to too many playlists")
    }
    let reason = end.reason.isEmpty ? "the upstream ended before there was audio" : end.reason
    if finding.isPlayable { return finish(else: "") }
    add(.failed, "\(url): \(reason)")
    if list.failed(hopeless: end.isHopeless) { finish(else: reason) } else { goOn(because: reason) }
  }

  /// Tries the next URL, unless enough were tried.
  private func goOn(because reason: String) {
    if attempts < Self.attemptsMax { connect() } else { finish(else: reason) }
  }

  /// Ends the check; `trouble` says why where no audio has come.
  func finish(else trouble: String) {
    guard let then else { return }
    self.then = nil
    deadline?.cancel()
    titleTimer?.cancel()
    delivery?.cancel()
    delivery = nil
    if finding.isPlayable {
      if audioSeconds >= Self.measuredSeconds {
        finding.bitrate = Int(bounded: (Double(audioBytes) * 8 / audioSeconds / 1000).rounded())
      }
    } else {
      finding.trouble = trouble
    }
    then(finding)
  }
}

/// The checks that run. Used on the ingest loop's thread only.
final class UpstreamChecks {
  private var running: [UInt64: UpstreamCheck] = [:]
  private var lastNumber: UInt64 = 0

  /// Returns the number of the next check.
  func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  func begin(
    _ number: UInt64, _ url: String, settings: UpstreamSettings, machinery: IngestMachinery,
    then: @escaping (UpstreamFinding) -> Void
  ) {
    let check = UpstreamCheck(url, settings: settings, machinery: machinery) {
      [unowned self] finding in
      running[number] = nil
      then(finding)
    }
    running[number] = check
    check.begin()
  }

  static let relayEnds = "the relay ends"
  package static let nobodyAsks = "nobody waits for the answer any more"

  /// Ends a check that nobody waits for.
  func giveUp(_ number: UInt64) { running[number]?.finish(else: Self.nobodyAsks) }

  /// Ends all of them.
  func close() {
    for check in running.values { check.finish(else: Self.relayEnds) }
  }
}
