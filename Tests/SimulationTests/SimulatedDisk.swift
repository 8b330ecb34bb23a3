import Glibc
import TestSupport
import Timeshift

/// A file system in memory, with a page cache: a loss of power keeps any part of what was not synced, and calls fail as
/// told.
final class SimulatedDisk: @unchecked Sendable {
  // Unchecked: a simulation has one thread.

  /// Calls that can fail.
  enum Call: CaseIterable { case open, read, write, sync, size, rename, remove, list }

  struct Fault {
    var calls: Set<Call>
    var code: Int32
    /// Of files whose path ends so; empty: of all.
    var ending = ""
    /// Of so many calls one fails.
    var oneIn = 1
  }

  private final class Node {
    var bytes: [UInt8] = []
    /// What a loss of power cannot take.
    var synced: [UInt8] = []
    /// Pages that differ from `synced`, and since when the first of them does.
    var dirty: Set<Int> = []
    var dirtySince = 0.0
    /// Its name is in the journal, not yet on the disk.
    var isNew = true
    /// Bits that are others when they are fetched.
    var rotten: [Int: UInt8] = [:]
    /// Pages that reading has to wait for.
    var cold: Set<Int> = []

    /// What is fetched is as it has become.
    func spoil(_ range: Range<Int>) {
      guard !rotten.isEmpty else { return }
      for (place, bits) in rotten where range.contains(place) {
        bytes[place] ^= bits
        rotten[place] = nil
      }
    }
  }

  /// What happened to names at once: what each is from then on.
  private typealias Change = [(path: String, node: Node?)]

  static let pageBytes = 4096
  /// Seconds after which the kernel writes by itself.
  static let writeBackSeconds = 35.0

  private var names: [String: Node] = [:]
  private var syncedNames: [String: Node] = [:]
  private var journal: [(at: Double, change: Change)] = []
  private var open: [Int32: Node] = [:]
  private var paths: [Int32: String] = [:]
  private var nextDescriptor: Int32 = 100
  private var directories: Set<String> = []
  private var random: SplitMix
  /// A sync brings all names to the disk that were changed before, as a journal does.
  private let isJournaled: Bool
  private(set) var bytesUsed = 0
  var now = 0.0

  var faults: [Fault] = []
  /// Bytes that fit; nil: no end.
  var capacity: Int?
  /// Bytes of others.
  var foreign = 0
  /// Files that are open; more than this are EMFILE.
  var descriptorsMax = 4096
  /// Calls that failed as told.
  private(set) var failures = 0
  var descriptors: Int { open.count }

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    isJournaled = random.next() % 3 > 0
  }

  // MARK: Bad days

  /// Everything that nothing but memory had is gone, and the process with its descriptors.
  func losePower() {
    for change in surviving() {
      for (path, node) in change { syncedNames[path] = node }
    }
    names = syncedNames
    journal = []
    for (_, node) in names.sorted(by: { $0.key < $1.key }) { settle(node) }
    endProcess()
  }

  /// The descriptors go; what was written stays.
  func endProcess() {
    open = [:]
    paths = [:]
  }

  private func surviving() -> [Change] {
    let changes = journal.map(\.change)
    if isJournaled { return Array(changes.prefix(Int(random.next() % UInt64(changes.count + 1)))) }
    return changes.filter { _ in random.next() % 2 == 0 }
  }

  /// Each page is as it was, as it is, or zero where it is new.
  private func settle(_ node: Node) {
    let page = Self.pageBytes
    let old = node.synced
    let size = random.next() % 2 == 0 ? node.bytes.count : old.count
    var settled = [UInt8](repeating: 0, count: size)
    for start in stride(from: 0, to: size, by: page) {
      let isNew = !node.dirty.contains(start / page) || random.next() % 2 == 0
      let source = isNew ? node.bytes : old
      guard start < source.count else { continue }
      let end = min(start + page, size, source.count)
      settled.replaceSubrange(start..<end, with: source[start..<end])
    }
    bytesUsed += size - node.bytes.count
    node.bytes = settled
    node.synced = settled
    node.rotten = [:]
    node.dirty = []
    node.cold = []
  }

  /// The kernel writes what has waited for long.
  func tick(_ now: Double) {
    self.now = now
    for node in names.values
    where !node.dirty.isEmpty && now - node.dirtySince > Self.writeBackSeconds { sync(node) }
    commit { now - $0.at > Self.writeBackSeconds }
  }

  /// Brings names to the disk.
  private func commit(_ isMeant: ((at: Double, change: Change)) -> Bool) {
    for entry in journal where isMeant(entry) {
      for (path, node) in entry.change { syncedNames[path] = node }
    }
    journal.removeAll(where: isMeant)
  }

  /// What is in the cache is needed elsewhere.
  func chill() {
    for node in names.values where node.dirty.isEmpty {
      node.cold = Set(0...(node.bytes.count / Self.pageBytes))
    }
  }

  /// A bit of a file changes by itself. nil: there is none that long.
  func rot(ending: String) -> String? {
    // What is being written is in the cache, and read from there.
    let newest = names.keys.filter { $0.hasSuffix(".idx") }.max().map { $0.dropLast(4) } ?? ""
    let paths = names.keys.filter {
      $0.hasSuffix(ending) && !$0.hasPrefix(newest) && !names[$0]!.bytes.isEmpty
    }.sorted()
    guard let path = paths.randomElement(using: &random), let node = names[path] else { return nil }
    let place = Int.random(in: node.bytes.indices, using: &random)
    // On the disk: what is in the cache stays as it was until it is needed elsewhere, and fetched again.
    let bit: UInt8 = 1 << UInt8(random.next() % 8)
    node.rotten[place, default: 0] ^= bit
    node.cold.insert(place / Self.pageBytes)
    if place < node.synced.count { node.synced[place] ^= bit }
    return path
  }

  /// As a process reads it now.
  func contents(of path: String) -> [UInt8]? { names[path]?.bytes }

  /// How many files recovery has set aside.
  var setAside: Int { names.keys.count { $0.hasSuffix(".bad") } }

  // MARK: Calls

  private func failure(_ call: Call, _ path: String) -> Int32? {
    for fault in faults where fault.calls.contains(call) && path.hasSuffix(fault.ending) {
      guard fault.oneIn == 1 || random.next() % UInt64(fault.oneIn) == 0 else { continue }
      failures += 1
      return fault.code
    }
    return nil
  }

  private func change(_ change: Change) {
    for (path, node) in change { names[path] = node }
    journal.append((now, change))
  }

  private func sync(_ node: Node) {
    node.synced = node.bytes
    node.dirty = []
    if isJournaled || journal.count > 10_000 {
      commit { _ in true }
    } else {
      // What happened to its names before is over as well.
      let paths = Set(journal.flatMap(\.change).filter { $0.node === node }.map(\.path))
      commit { $0.change.contains { paths.contains($0.path) } }
    }
  }

  private func syncNames(of directory: String) {
    commit { [isJournaled] entry in
      isJournaled || entry.change.contains { $0.path.hasPrefix(directory + "/") }
    }
  }

  private func touch(_ node: Node, _ range: Range<Int>) {
    if node.dirty.isEmpty { node.dirtySince = now }
    if range.isEmpty { return }
    let pages = range.lowerBound / Self.pageBytes...(range.upperBound - 1) / Self.pageBytes
    node.dirty.formUnion(pages)
    if !node.rotten.isEmpty { node.rotten = node.rotten.filter { !range.contains($0.key) } }
    node.cold.subtract(pages)
  }

  private func resize(_ node: Node, _ length: Int) {
    let old = node.bytes.count
    bytesUsed += length - old
    if length < old {
      node.bytes.removeLast(old - length)
    } else {
      node.bytes.append(contentsOf: repeatElement(0, count: length - old))
    }
    touch(node, min(old, length)..<max(old, length))
  }

  private func openFile(_ path: String, _ flags: Int32) -> Int32 {
    if let code = failure(.open, path) { return -code }
    if open.count >= descriptorsMax { return -EMFILE }
    let found: Node
    if let node = names[path] {
      if flags & O_EXCL != 0 { return -EEXIST }
      found = node
      if flags & O_TRUNC != 0 { resize(node, 0) }
    } else {
      guard flags & O_CREAT != 0 else { return -ENOENT }
      if let capacity, bytesUsed + foreign >= capacity { return -ENOSPC }
      found = Node()
      change([(path, found)])
    }
    nextDescriptor += 1
    open[nextDescriptor] = found
    paths[nextDescriptor] = path
    return nextDescriptor
  }

  private func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
    guard let node = open[descriptor] else { return -Int(EBADF) }
    if let code = failure(.write, paths[descriptor]!) { return -Int(code) }
    var count = bytes.count
    let growth = max(0, offset + count - node.bytes.count)
    if let capacity, growth > 0 {
      count -= max(0, growth - max(0, capacity - bytesUsed - foreign))
      if count <= 0 { return -Int(ENOSPC) }
    }
    // A disk takes what it likes of a long write.
    if count > 1, random.next() % 64 == 0 { count = Int.random(in: 1...count, using: &random) }
    if offset + count > node.bytes.count { resize(node, offset + count) }
    node.bytes.replaceSubrange(offset..<offset + count, with: bytes[..<count])
    touch(node, offset..<offset + count)
    return count
  }

  private func read(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: UInt64, isNow: Bool
  ) -> Int {
    guard let node = open[descriptor] else { return -Int(EBADF) }
    guard offset < UInt64(node.bytes.count) else { return 0 }
    let end = min(Int(offset) + buffer.count, node.bytes.count)
    let pages = Int(offset) / Self.pageBytes...(max(end, Int(offset) + 1) - 1) / Self.pageBytes
    if isNow, !node.cold.isEmpty, !node.cold.isDisjoint(with: pages) { return -Int(EAGAIN) }
    // What is in the cache needs no disk.
    if !isNow, let code = failure(.read, paths[descriptor]!) { return -Int(code) }
    node.cold.subtract(pages)
    if !isNow { node.spoil(Int(offset)..<end) }
    node.bytes[Int(offset)..<end].withUnsafeBytes { buffer.copyMemory(from: $0) }
    return end - Int(offset)
  }

  private func list(_ directory: String) -> (names: [String], code: Int32) {
    if let code = failure(.list, directory) { return ([], -code) }
    let start = directory + "/"
    let found = names.keys.filter { $0.hasPrefix(start) }.sorted()
    return (found.map { String($0.dropFirst(start.count)) }, 0)
  }

  private func rename(_ from: String, _ to: String) -> Int32 {
    if let code = failure(.rename, from) { return -code }
    guard let node = names[from] else { return -ENOENT }
    change([(to, node), (from, nil)])
    return 0
  }

  private func remove(_ path: String) -> Int32 {
    if let code = failure(.remove, path) { return -code }
    guard let node = names[path] else { return -ENOENT }
    bytesUsed -= node.bytes.count
    change([(path, nil)])
    return 0
  }

  var calls: FileCalls {
    var calls = FileCalls.posix
    calls.open = { [self] in openFile($0, $1) }
    calls.close = { [self] in
      open[$0] = nil
      paths[$0] = nil
    }
    calls.read = { [self] in read($0, $1, $2, isNow: false) }
    calls.readBeside = { [self] in read($0, $1, $2, isNow: false) }
    calls.readNow = { [self] in read($0, $1, $2, isNow: true) }
    calls.write = { [self] in write($0, $1, Int($2)) }
    calls.truncate = { [self] descriptor, length in
      guard let node = open[descriptor] else { return -EBADF }
      if let code = failure(.write, paths[descriptor]!) { return -code }
      resize(node, Int(length))
      return 0
    }
    calls.sync = { [self] descriptor in
      guard let node = open[descriptor] else { return -EBADF }
      if let code = failure(.sync, paths[descriptor]!) { return -code }
      sync(node)
      return 0
    }
    calls.size = { [self] descriptor in
      guard let node = open[descriptor] else { return -Int64(EBADF) }
      if let code = failure(.size, paths[descriptor]!) { return -Int64(code) }
      return Int64(node.bytes.count)
    }
    calls.isNamed = { [self] descriptor, path in
      if let code = failure(.size, path) { return -code }
      return names[path] === open[descriptor] ? 1 : 0
    }
    calls.disk = { _ in 1 }
    calls.room = { [self] _ in
      capacity.map { UInt64(clamping: $0 + foreign) } ?? .max
    }
    calls.willNeed = { _, _, _ in }
    calls.rename = { [self] in rename($0, $1) }
    calls.remove = { [self] in remove($0) }
    // All there are stand already.
    calls.makeDirectory = { _ in -EEXIST }
    calls.status = { [self] path in
      names[path].map { FileStatus(bytes: Int64($0.bytes.count), modified: 0) }
    }
    calls.lock = { _ in 0 }
    calls.share = { _ in }
    calls.syncNames = { [self] in syncNames(of: $0) }
    calls.list = { [self] in list($0) }
    return calls
  }
}
