/// Finds where an answer ends.
enum AnswerReader {
  /// Of longer ones nobody waits for the end.
  private static let wholeMax = 256 * 1024

  /// nil: it is not whole yet.
  static func read(_ bytes: ArraySlice<UInt8>, isHead: Bool) -> (Connection.Answer, length: Int)? {
    guard let end = headEnd(bytes) else { return nil }
    let lines = bytes[bytes.startIndex..<end].split(separator: 10)
    let status =
      Int(String(decoding: lines.first?.dropFirst(9).prefix(3) ?? [], as: UTF8.self)) ?? 0
    let headLength = end - bytes.startIndex
    // Continue, which is not yet an answer.
    if status == 100 {
      return read(bytes[end...], isHead: isHead).map { ($0.0, $0.length + headLength) }
    }
    var length: Int?
    for line in lines.dropFirst() {
      let text = String(decoding: line, as: UTF8.self).lowercased()
      if text.hasPrefix("content-length:") {
        length = Int(text.dropFirst(15).filter { $0.isNumber })
      }
    }
    func answer(_ body: ArraySlice<UInt8>, isEndless: Bool = false) -> Connection.Answer {
      Connection.Answer(status: status, body: body, isEndless: isEndless)
    }
    if isHead || status == 204 || status == 304 { return (answer([]), headLength) }
    // Files go at the speed at which they play.
    if let length, length <= wholeMax {
      guard bytes.count >= headLength + length else { return nil }
      return (answer(bytes[end..<end + length]), headLength + length)
    }
    return (answer([], isEndless: true), headLength)
  }

  /// An answer without its body; all of it where there is no end of a head.
  static func head(of answer: [UInt8]) -> [UInt8] {
    headEnd(answer[...]).map { Array(answer[..<$0]) } ?? answer
  }

  private static func headEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    var index = bytes.startIndex
    while let found = bytes[index...].firstIndex(of: 13) {
      if bytes[found...].starts(with: [13, 10, 13, 10]) { return found + 4 }
      index = found + 1
    }
    return nil
  }
}
