import Foundation
import Longwave
import TestSupport

/// Sends requests, several ahead on one connection where that may be, and reads what is answered.
final class Gun {
  /// The server takes 16 KiB ahead of an answer.
  private static let aheadBytesMax = 12 * 1024
  private static let batch = 24
  /// An answer takes longer only if something is wrong, with us or with the machine.
  static let patience = 6.0

  private let battle: Battle
  private let number: Int
  private let makers: Set<String>
  private var lines: [Attack.Way: Line] = [:]
  private var host: UInt32

  init(_ battle: Battle, number: Int, makers: Set<String>) {
    (self.battle, self.number, self.makers) = (battle, number, makers)
    host = UInt32(number + 1) << 16 | 1
  }

  func run() {
    while !battle.isOver {
      let attacks = battle.nextRequests(Self.batch)
      for way in Attack.Way.allCases {
        let plain = attacks.filter { $0.isPlain && $0.way == way }
        if !plain.isEmpty { shoot(plain[...], way) }
      }
      for attack in attacks where !attack.isPlain && !battle.isOver { fire(attack) }
    }
  }

  // MARK: Several

  private func shoot(_ attacks: ArraySlice<Attack>, _ way: Attack.Way) {
    var left = attacks
    var failures = 0
    while !left.isEmpty, !battle.isOver, failures < 3 {
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
    if failures == 3, !battle.isOver { battle.note([], unanswered: 1) }
  }

  /// How many of them have their answer; the connection may have ended behind the last.
  private func exchange(_ bytes: [UInt8], _ attacks: [Attack], _ way: Attack.Way) -> Int {
    guard let line = line(way) else { return 0 }
    battle.begin(attacks, by: number)
    var statuses: [Int] = []
    defer { battle.note(statuses, unanswered: 0) }
    var before = secondsNow()
    line.send(bytes, until: before + Self.patience)
    for (index, attack) in attacks.enumerated() {
      let answer = line.answer(isHead: attack.isHead, until: before + Self.patience)
      let now = secondsNow()
      judge(now - before, attack)
      before = now
      guard let answer else {
        lines[way] = nil
        return index
      }
      statuses.append(answer.status)
      if answer.status == 201 { noteMade(attack, answer) }
      if answer.isEndless {
        lines[way] = nil
        return index + 1
      }
    }
    return attacks.count
  }

  private func judge(_ seconds: Double, _ attack: Attack) {
    guard Control.shared.own(seconds) > Battle.answerMax else { return }
    battle.suspect([attack], "answered after \(seconds.short) s")
  }

  private func line(_ way: Attack.Way) -> Line? {
    if let line = lines[way] { return line }
    host = host & 0xFF_0000 | (host + 1) & 0xFFFF
    let line = try? Line(way, battle.doors, host: host)
    lines[way] = line
    if line == nil { usleep(2000) }
    return line
  }

  private func noteMade(_ attack: Attack, _ answer: Line.Answer) {
    let target = attack.bytes.split(separator: 32, maxSplits: 2).dropFirst().first ?? []
    let path = String(decoding: target.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    guard makers.contains(path), let id = JSON.parse(Array(answer.body))?["id"] else { return }
    battle.noteMade("\(path)/\(id.string ?? id.text)")
  }

  // MARK: One

  /// A connection of its own, on which nothing else can come.
  private func fire(_ attack: Attack) {
    host = host & 0xFF_0000 | (host + 1) & 0xFFFF
    battle.begin([attack], by: number)
    let began = secondsNow()
    let answer = Self.answer(to: attack, battle.doors, host: host, patience: 0.25)
    judge(secondsNow() - began, attack)
    battle.note(answer.map { [$0.status] } ?? [], unanswered: answer == nil ? 1 : 0)
    if let answer, answer.status == 201 { noteMade(attack, answer) }
  }

  /// The status of what is answered first; nil: nothing, or nothing that can be understood.
  static func fire(_ attack: Attack, _ doors: Doors, host: UInt32, patience: Double) -> Int? {
    answer(to: attack, doors, host: host, patience: patience)?.status
  }

  private static func answer(
    to attack: Attack, _ doors: Doors, host: UInt32, patience: Double
  ) -> Line.Answer? {
    guard let line = try? Line(attack.way, doors, host: host) else { return nil }
    let end = secondsNow() + patience
    line.send(attack.bytes, until: end)
    if !attack.isPlain { line.finishSending() }
    return line.answer(isHead: attack.isHead, until: end)
  }
}
