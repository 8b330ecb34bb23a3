import Reactor
import Timeshift
import Wire

/// Asks a page what a station is playing, again and again, while the station is pulled.
///
/// Lives on the ingest loop; its worker owns it. A page that fails is asked less and less often, and told of once.
final class TitlePoller: TransferOwner {
  /// A page of text is a few kilobytes, a list of a day's titles some tens.
  static let bytesMax = 256 * 1024
  /// A page that fails is asked at least so often, unless it says otherwise.
  private static let waitMax = 300.0
  private static let retryAfterMax = 3600.0
  /// One failure may be a restart; so many are not.
  private static let failuresBorne = 2
  // SHOUTcast shows its pages to browsers only.
  private static let userAgent = "Mozilla/5.0 (compatible; Longwave/1.0)"

  /// Told what the page says, each time it does.
  var onTitle: (Title) -> Void = { _ in }
  var onTrouble: (MetadataTrouble) -> Void = { _ in }
  /// Whether the station gets audio just now.
  var isWanted: () -> Bool = { true }

  private let settings: MetadataSettings
  private let upstream: UpstreamSettings
  /// The one whose page is read has it for itself.
  private var texts: LentReader
  private let machinery: IngestMachinery
  private var reading: ReadingTicket?
  private var timer: LoopTimer?
  private var deadline: LoopTimer?
  private var transfer: Transfer?
  private var reply = Reply()
  /// What the last whole answer is to be known by, as request headers.
  private var conditions: [String] = []
  /// In a row.
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

  /// Asks at once, and from then on; does nothing while it does so already.
  func start() {
    guard transfer == nil, reading == nil, timer?.isSet != true else { return }
    ask()
  }

  /// Asks no more before `start`.
  func pause() {
    timer?.cancel()
    drop()
  }

  /// Whether the page is to be believed rather than the upstream.
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
    // Its thread may be at it still.
    texts = Self.reader(settings, upstream)
  }

  /// The round is over; nil: it went well.
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

  /// Seconds until a page is asked again that has failed so often in a row.
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
    reading = machinery.desk.read(status.url) { () -> Result<Title?, TitlePageError> in
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
        take(found)
      case .givenUp(let reason): end(.unreadable(reason: "the page is left: \(reason)"))
      }
    }
  }

  private func take(_ found: Result<Title?, TitlePageError>) {
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

  /// nil for what would be more than a line.
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
/// Right because one page is read at a time, and who gives a reading up takes a new reader.
private struct LentReader: @unchecked Sendable {
  let reader: TextReader

  init(_ reader: TextReader) { self.reader = reader }

  /// How an answer's text is read: in the charset that it names, else as the station's titles.
  func text(of body: [UInt8], type: String?) -> ([UInt8]) -> String {
    let named = type.flatMap(PageCharset.named(inMediaType:))
    guard let name = named ?? PageCharset.named(inXML: body),
      let charset = CharsetName(known: name)
    else { return reader.text }
    return TextReader(.named(charset)).text
  }
}
