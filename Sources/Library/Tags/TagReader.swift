import CLinux
import Glibc
import Media
import Reactor
import Timeshift
import Wire

/// Reads the tags of files in a process of its own, so that no file can end or hold up the relay.
///
/// Used by one thread, which asks for files and takes their answers in the order asked. A file at which the process
/// ends, or that it has not answered in time, costs that file alone: the process is begun again, and the files behind
/// are asked anew.
public final class TagReader {
  public enum Reading: Hashable, Sendable {
    case fields(TagFields)
    /// The file has no container that has tags.
    case none
    /// The file cannot be read; why, in words that follow the file's name. Not worth asking again until it changes.
    case failed(String)
    /// There is no reader; why. The file is not to blame.
    case unavailable(String)
  }

  /// The answer to one question.
  public struct Answer: Sendable {
    /// The number that the file was asked with.
    public var number: UInt64
    public var reading: Reading
  }

  /// The most files asked for and not answered.
  public static let inFlightMax = 100
  /// The seconds that a file's tags may take.
  public static let patience = 10.0
  /// The longest line that is believed. The bounds of `TagFields` allow a third of this.
  private static let lineBytesMax = 8 << 20
  /// Processes that were given up and have not ended: their disk holds them. No more are begun.
  private static let lostMax = 4
  /// Processes in a row that are given up; then a file is no more to blame than what they have in common.
  private static let endsMax = 8

  private let call: ProgramCall
  private let patienceNanoseconds: Int64
  private let charset: ([UInt8]) -> String
  /// The files asked for, the next to be answered first.
  private var asked: [(number: UInt64, file: MediaFile)] = []
  /// How many of them the process has been sent.
  private var sent = 0
  private var process: TagProcess?
  private var lost: [TagProcess] = []
  /// Processes that were given up since the last answer.
  private var endsInARow = 0
  private var lines = LineBuffer(bytesMax: TagReader.lineBytesMax)

  /// - Parameters:
  ///   - program: this program's own file and the words that make it `TagChild`.
  ///   - patience: the seconds that a file's tags may take.
  ///   - charset: reads text that a tag declares Latin-1 and that is no UTF-8.
  public init(
    program: [String] = ["/proc/self/exe", TagChild.word], patience: Double = TagReader.patience,
    charset: @escaping ([UInt8]) -> String = Charset.windows1252.decodeInvalid
  ) {
    call = ProgramCall(program, in: "/")
    patienceNanoseconds = Int64(nanosecondsIn: patience)
    self.charset = charset
  }

  deinit { process?.end() }

  /// Whether an answer has to be taken before another file is asked for.
  public var isFull: Bool { asked.count >= Self.inFlightMax }

  /// The process that reads now, for tests.
  var processID: Int32? { process?.id }

  /// Asks for a file's tags. Does not block.
  public func ask(_ file: MediaFile, number: UInt64) {
    precondition(!isFull, "more files than a reader takes")
    asked.append((number, file))
    if process != nil { _ = send() }
  }

  /// Returns the answer to the oldest question; nil without one. Blocks until the file is read or given up.
  public func next() -> Answer? {
    guard let first = asked.first else { return nil }
    let reading = read(first.number)
    asked.removeFirst()
    sent = max(0, sent - 1)
    return Answer(number: first.number, reading: reading)
  }

  private func read(_ number: UInt64) -> Reading {
    if process == nil {
      guard endsInARow < Self.endsMax else {
        return .unavailable("the process that reads tags has ended \(endsInARow) times in a row")
      }
      lost.removeAll { $0.hasEnded }
      guard lost.count < Self.lostMax else {
        return .unavailable("\(lost.count) processes that read tags hang on a disk")
      }
      guard let begun = TagProcess.begin(call) else {
        return .unavailable("the system gives no socket or thread for the process that reads tags")
      }
      process = begun
    }
    guard let process else { return .unavailable("there is no process that reads tags") }
    let deadline = MonotonicTime.now().nanoseconds.saturatingAdd(patienceNanoseconds)
    while true {
      if let line = lines.next() {
        if let reading = Self.reading(line, number) {
          endsInARow = 0
          return readTexts(reading)
        }
        giveUp(process)
        return .failed("the process that reads tags gave no answer to it that makes sense")
      }
      let sending = send()
      if case .refused? = sending, sent == 0 {
        return .unavailable("the system hands no file over to the process that reads tags")
      }
      let left = deadline - MonotonicTime.now().nanoseconds
      guard left > 0 else {
        giveUp(process)
        return .failed(
          "its tags were not read within \(Int(patienceNanoseconds / 1_000_000_000)) s")
      }
      switch process.receive(into: &lines, wantsToSend: sending == .full, nanoseconds: left) {
      case .some: continue
      case .tooLong:
        giveUp(process)
        return .failed("the process that reads tags gave no answer to it that makes sense")
      case .over:
        let end = process.awaitEnd()
        giveUp(process)
        if case .refused(let why) = end { return .unavailable(why) }
        return .failed("the process that reads tags \(end.words) at it")
      }
    }
  }

  private func readTexts(_ reading: Reading) -> Reading {
    guard case .fields(let fields) = reading else { return reading }
    return .fields(fields.read(by: charset))
  }

  /// Sends the files that the process has not got, as far as its socket takes them.
  ///
  /// - Returns: what became of the last; nil where the process has all.
  private func send() -> TagProcess.Sending? {
    guard let process else { return nil }
    while sent < asked.count {
      let sending = process.send(asked[sent].file.descriptor, asked[sent].number)
      guard case .sent = sending else { return sending }
      sent += 1
    }
    return nil
  }

  private func giveUp(_ given: TagProcess) {
    endsInARow += 1
    given.end()
    lost.append(given)
    process = nil
    // The others are asked anew.
    sent = 0
    lines = LineBuffer(bytesMax: Self.lineBytesMax)
  }

  /// Reads `[NUMBER,{…}]` or `[NUMBER,"why-not"]`; nil for anything else.
  private static func reading(_ line: [UInt8], _ number: UInt64) -> Reading? {
    var scanner = JSONScanner(line)
    guard (try? scanner.next()) == .arrayStart,
      case .integer(let told) = (try? scanner.next()) ?? .null,
      UInt64(exactly: told) == number, let token = try? scanner.next()
    else { return nil }
    let reading: Reading
    switch token {
    case .string(TagFile.Refusal.unknown.rawValue): reading = .none
    case .string(TagFile.Refusal.tooLarge.rawValue):
      reading = .failed("its tags need more memory than there is for them")
    case .string: reading = .failed("its tags are damaged")
    case .objectStart:
      guard let fields = try? TagFieldsReader.read(&scanner) else { return nil }
      reading = .fields(fields)
    default: return nil
    }
    return isOver(&scanner) ? reading : nil
  }

  /// Whether the list ends here, and the line with it.
  private static func isOver(_ scanner: inout JSONScanner) -> Bool {
    do {
      return try scanner.next() == .arrayEnd && scanner.next() == nil
    } catch {
      return false
    }
  }
}
