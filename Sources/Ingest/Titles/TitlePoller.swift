import Reactor
import Timeshift
import Wire

/// Asks a page what a station is playing, repeatedly while the station is pulled.
///
/// Lives on the ingest loop; its worker owns it. A failing page is asked less and less often, and reported once.
final class TitlePoller: TransferOwner {
  /// The most bytes of a page: a page of text has a few kilobytes, a list of a day's titles some tens.
  static let bytesMax = 256 * 1024
  /// The longest wait for a failing page, in seconds, unless the page asks for longer.
  private static let waitMax = 300.0
  private static let retryAfterMax = 3600.0
  /// The failures in a row that are tolerated: one may be a restart.
  private static let failuresBorne = 2
  // SHOUTcast shows its pages to browsers only.
  private static let userAgent = "Mozilla/5.0 (compatible; Longwave/1.0)"

  /// Called with each title that the page gives.
  var onTitle: (Title) -> Void = { _ in }
  var onTrouble: (MetadataTrouble) -> Void = { _ in }
  /// Whether the station gets audio at present.
  var isWanted: () -> Bool = { true }

  private let settings: MetadataSettings
  private let upstream: UpstreamSettings
  /// The reader of text, lent to the one reading of a page at a time.
  private var texts: LentReader
  private let machinery: IngestMachinery
  private var reading: ReadingTicket?
  private var timer: LoopTimer?
  private var deadline: LoopTimer?
  private var transfer: Transfer?
  private var reply = Reply()
  /// Request headers that identify the last whole answer.
  private var conditions: [String] = []
  /// The number of failures in a row.
  private var failures = 0
  private(set) var status: MetadataStatus

  private struct Reply {
    var status = 0
    var fields: [TransferField] = []
    var body: [UInt8] = []

    subscript(name: String) -> String? {
      fields.first { $0.name.lowercased() == name }.map {
        String(decoding: $0.value, as: UTF8.self)
      }
    }
  }

  init(
    _ settings: MetadataSettings, upstream: UpstreamSettings, machinery: IngestMachinery
  ) {
    self.settings = settings
    self.upstream = upstream
    self.machinery = machinery
    let clock = machinery.clock
    texts = Self.reader(settings, upstream)
    status = MetadataStatus(url: URLText.withoutCredentials(settings.page.url(at: settings.url)))
    timer = LoopTimer(clock) { [unowned self] in ask() }
    deadline = LoopTimer(clock) { [unowned self] in end(.timeout) }
  }

  deinit { transfer?.cancel() }

  /// Begins to ask, at once and then repeatedly; does nothing if that goes on already.
  func start() {
    guard transfer == nil, reading == nil, timer?.isSet != true else { return }
    ask()
  }

  /// Stops asking until `start`.
  func pause() {
    timer?.cancel()
    drop()
  }

  /// Whether the page is believed rather than the upstream.
  var isAnswering: Bool { failures <= Self.failuresBorne }

  // MARK: A round

  private func ask() {
    guard isWanted() else {
      timer?.set(after: settings.interval)
      return
    }
    reply = Reply()
    var request = TransferRequest(
      url: settings.page.url(at: settings.url), userAgent: Self.userAgent,
      connectTimeout: settings.timeout)
    request.isPage = true
    request.headers = conditions
    request.headerOrigins = Set([URLText.origin(request.url)].compactMap { $0 })
    request.allowsPrivate = upstream.allowsPrivate
    request.proxy = upstream.proxy
    request.verifyTLS = upstream.verifyTLS
    request.caFile = upstream.caFile
    transfer = Transfer(request, on: machinery.multi, owner: self)
    deadline?.set(after: settings.timeout)
  }

  private func drop() {
    deadline?.cancel()
    transfer?.cancel()
    transfer = nil
    guard reading != nil else { return }
    reading = nil
    // A given-up reading's thread may still use the old reader.
    texts = Self.reader(settings, upstream)
  }

  /// Ends a round; nil: it went well.
  private func end(_ trouble: MetadataTrouble?) {
    let retryAfter = reply["retry-after"].flatMap { UInt32($0) }.map(Double.init)
    drop()
    guard let trouble else {
      failures = 0
      status.answers += 1
      status.trouble = nil
      timer?.set(after: settings.interval)
      return
    }
    failures += 1
    status.failures += 1
    status.trouble = trouble.reason
    conditions = []
    timer?.set(
      after: Self.wait(
        afterFailures: failures, interval: settings.interval, retryAfter: retryAfter))
    if failures == 1 { onTrouble(trouble) }
  }

  /// The seconds until the next request, after this many failures in a row.
  static func wait(afterFailures failures: Int, interval: Double, retryAfter: Double?) -> Double {
    let wait = min(interval * Double(1 << min(failures, 10)), max(interval, waitMax))
    return max(wait, min(retryAfter ?? 0, retryAfterMax))
  }

  // MARK: From the transfer

  func transfer(
    _ transfer: any BodyTransfer, answered status: Int, fields: [TransferField]
  ) {
    reply.status = status
    reply.fields = fields
  }

  func transfer(_ transfer: any BodyTransfer, delivered piece: Span<UInt8>) {
    guard reply.body.count + piece.count <= Self.bytesMax else {
      return end(.failed(reason: "the page is longer than \(Self.bytesMax / 1024) KiB"))
    }
    piece.withUnsafeBufferPointer { reply.body.append(contentsOf: $0) }
  }

  func transfer(_ transfer: any BodyTransfer, ended: TransferEnd) {
    switch ended {
    case .complete where reply.status == 304 && !conditions.isEmpty: end(nil)
    case .complete where 200..<300 ~= reply.status: read()
    case .complete: end(.status(reply.status))
    case .cut: end(.failed(reason: "the page came only in part"))
    case .timedOut: end(.timeout)
    case .failed(let reason): end(.failed(reason: reason))
    }
  }

  private func read() {
    deadline?.cancel()
    transfer = nil
    let (page, body, texts) = (settings.page, reply.body, texts)
    let (isGiven, type) = (settings.charset != nil, reply["content-type"])
    let now = Moment.now().wall.unixSeconds
    reading = machinery.readingPool.read(status.url) { () -> Result<Title?, TitlePageError> in
      do throws(TitlePageError) {
        let text = isGiven ? texts.reader.text : texts.text(of: body, type: type)
        return .success(try page.title(in: body, at: now, text: text))
      } catch {
        return .failure(error)
      }
    } then: { [unowned self] outcome in
      switch outcome {
      case .read(let found):
        reading = nil
        receive(found)
      case .givenUp(let reason): end(.unreadable(reason: "the page was not read: \(reason)"))
      }
    }
  }

  private func receive(_ found: Result<Title?, TitlePageError>) {
    switch found {
    case .success(let title):
      conditions = [
        condition("If-None-Match", reply["etag"]),
        condition("If-Modified-Since", reply["last-modified"]),
      ].compactMap { $0 }
      end(nil)
      if let title { onTitle(title) }
    case .failure(let error): end(.unreadable(reason: "\(error)"))
    }
  }

  /// Makes a request header; nil for a value that does not fit on a line.
  private func condition(_ name: String, _ value: String?) -> String? {
    guard let value, value.utf8.allSatisfy({ 32..<127 ~= $0 }) else { return nil }
    return "\(name): \(value)"
  }

  private static func reader(
    _ settings: MetadataSettings, _ upstream: UpstreamSettings
  ) -> LentReader {
    LentReader(TextReader(settings.charset.map(TextEncoding.named) ?? upstream.encoding))
  }
}

/// A page's reader of text on its way to a thread and back.
///
/// Unchecked: one page is read at a time, and a given-up reading's reader is replaced.
private struct LentReader: @unchecked Sendable {
  let reader: TextReader

  init(_ reader: TextReader) { self.reader = reader }

  /// The reading for an answer's text: in the charset that the answer names, otherwise as the station's titles.
  func text(of body: [UInt8], type: String?) -> ([UInt8]) -> String {
    let named = type.flatMap(PageCharset.named(inMediaType:))
    guard let name = named ?? PageCharset.named(inXML: body),
      let charset = CharsetName(known: name)
    else { return reader.text }
    return TextReader(.named(charset)).text
  }
}
