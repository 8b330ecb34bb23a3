import Foundation
import Longwave
import TestSupport

/// Sends requests, several ahead on one connection where that may be, and reads what is answered.
final class RequestSender {
  /// The server takes 16 KiB ahead of an answer.
  private static let aheadBytesMax = 12 * 1024
  private static let batch = 24
  /// An answer takes longer only if something is wrong, with us or with the machine.
  static let patience = 6.0

  private let round: Round
  private let number: Int
  private let makers: Set<String>
  private var connections: [Attack.Way: Connection] = [:]
  private var host: UInt32

  init(_ round: Round, number: Int, makers: Set<String>) {
    (self.round, self.number, self.makers) = (round, number, makers)
    host = UInt32(number + 1) << 16 | 1
  }

  func run() {
    while !round.isOver {
      let attacks = round.nextRequests(Self.batch)
      for way in Attack.Way.allCases {
        let plain = attacks.filter { $0.isPlain && $0.way == way }
        if !plain.isEmpty { sendAhead(plain[...], way) }
      }
      for attack in attacks where !attack.isPlain && !round.isOver { sendAlone(attack) }
    }
  }

  // MARK: Several

  private func sendAhead(_ attacks: ArraySlice<Attack>, _ way: Attack.Way) {
    var left = attacks
    var failures = 0
    while !left.isEmpty, !round.isOver, failures < 3 {
      var (bytes, count): ([UInt8], Int) = ([], 0)
      for attack in left {
        if count > 0, bytes.count + attack.bytes.count > Self.aheadBytesMax { break }
        bytes += attack.bytes
        count += 1
      }
      let part = left.prefix(count)
      let answered = exchange(bytes, Array(part), way)
      left = left.dropFirst(answered)
      if answered == 0 { failures += 1 }
    }
    if failures == 3, !round.isOver { round.note([], unanswered: 1) }
  }

  /// How many of them have their answer; the connection may have ended behind the last.
  private func exchange(_ bytes: [UInt8], _ attacks: [Attack], _ way: Attack.Way) -> Int {
    guard let connection = connection(way) else { return 0 }
    round.begin(attacks, by: number)
    var statuses: [Int] = []
    defer { round.note(statuses, unanswered: 0) }
    var before = secondsNow()
    connection.send(bytes, until: before + Self.patience)
    for (index, attack) in attacks.enumerated() {
      let answer = connection.answer(isHead: attack.isHead, until: before + Self.patience)
      let now = secondsNow()
      judge(now - before, attack)
      before = now
      guard let answer else {
        connections[way] = nil
        return index
      }
      statuses.append(answer.status)
      if answer.status == 201 { noteMade(attack, answer) }
      if answer.isEndless {
        connections[way] = nil
        return index + 1
      }
    }
    return attacks.count
  }

  private func judge(_ seconds: Double, _ attack: Attack) {
    guard MachineDelay.shared.own(seconds) > Round.answerMax else { return }
    round.suspect([attack], "answered after \(seconds.short) s")
  }

  private func connection(_ way: Attack.Way) -> Connection? {
    if let connection = connections[way] { return connection }
    host = host & 0xFF_0000 | (host + 1) & 0xFFFF
    let connection = try? Connection(way, round.addresses, host: host)
    connections[way] = connection
    if connection == nil { usleep(2000) }
    return connection
  }

  private func noteMade(_ attack: Attack, _ answer: Connection.Answer) {
    let target = attack.bytes.split(separator: 32, maxSplits: 2).dropFirst().first ?? []
    let path = String(decoding: target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    guard makers.contains(path), let id = JSON.parse(Array(answer.body))?["id"] else { return }
    round.noteMade("\(path)/\(id.string ?? id.text)")
  }

  // MARK: One

  /// A connection of its own, on which nothing else can come.
  private func sendAlone(_ attack: Attack) {
    host = host & 0xFF_0000 | (host + 1) & 0xFFFF
    round.begin([attack], by: number)
    let began = secondsNow()
    let answer = Self.answer(to: attack, round.addresses, host: host, patience: 0.25)
    judge(secondsNow() - began, attack)
    round.note(answer.map { [$0.status] } ?? [], unanswered: answer == nil ? 1 : 0)
    if let answer, answer.status == 201 { noteMade(attack, answer) }
  }

  /// The status of what is answered first; nil: nothing, or nothing that can be understood.
  static func sendAlone(
    _ attack: Attack, _ addresses: RelayAddresses, host: UInt32, patience: Double
  ) -> Int? {
    answer(to: attack, addresses, host: host, patience: patience)?.status
  }

  private static func answer(
    to attack: Attack, _ addresses: RelayAddresses, host: UInt32, patience: Double
  ) -> Connection.Answer? {
    guard let connection = try? Connection(attack.way, addresses, host: host) else { return nil }
    let end = secondsNow() + patience
    connection.send(attack.bytes, until: end)
    if !attack.isPlain { connection.finishSending() }
    return connection.answer(isHead: attack.isHead, until: end)
  }
}
