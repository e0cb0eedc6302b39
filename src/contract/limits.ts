// Every number the product promises or relies on, with its unit in the name and its reason beside it.
// Code, tool descriptions and tests all read it from here.

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const KiB = 1024;
const MiB = 1024 * KiB;

export const limits = {
  /** Under every client's own limit: the SDKs and the desktop hosts give up after about 60 s. */
  waitDefaultMs: 45 * second,
  /** Hosts that let a caller wait longer stop at 5 minutes. */
  waitMaxMs: 280 * second,
  /** `background` answers after this much, long enough to show a command that fails at once. */
  backgroundLookMs: 300,
  /** Long enough for an install or a test run, short enough that a forgotten command ends. */
  timeoutDefaultMs: 10 * minute,
  timeoutMaxMs: 24 * hour,
  /** Between TERM and KILL: time to flush and to remove a lock file. */
  killGraceMs: 2 * second,
  /** After the command itself has ended, how long its pipes may stay silent before the call answers. */
  drainQuietMs: 50,
  /** The most that the drain may take in all, whoever still writes. */
  drainMaxMs: 500,

  /** Bytes of each stream kept in memory from its start, and again from its end. */
  captureHeadBytes: 128 * KiB,
  captureTailBytes: 128 * KiB,
  /** Text of one stream in an answer. Two of them and the frame stay under Claude Code's 50,000 characters. */
  answerStreamChars: 16_000,
  /** The raw log of one stream stops growing here, so that no command fills the disk. */
  logMaxBytes: 64 * MiB,
  /** Output waiting for the disk above which its pipe is not read on: bounds the memory of a burst. */
  logPendingBytes: 256 * KiB,
  /** A single write to a log that takes longer ends the log instead of holding its process. */
  logStallMs: 5 * second,
  /** Finished processes whose logs stay; the oldest are dropped first. */
  finishedProcessesMax: 200,
  /** Live processes of one machine: far above honest use, far below what exhausts it. */
  liveProcessesMax: 200,
  /** Ids of dropped processes remembered, so that a late repeat does not run a command twice. */
  droppedProcessIdsMax: 10_000,

  /** One request to the runner: a large file in base64 and its frame. */
  requestMaxBytes: 32 * MiB,
  /** Linux refuses one argument or variable over 128 KiB, and a command is one of either: this leaves room for a name. */
  commandMaxBytes: 128 * KiB - 64,
  /** All environment variables of one call: Linux counts them against the same space as the arguments. */
  envMaxBytes: 256 * KiB,
  stdinMaxBytes: 16 * MiB,
  /** A write to a process that does not read is answered after this; what was taken is still on its way. */
  writeWaitMs: 5 * second,

  /** Progress notifications: at most four a second. */
  progressIntervalMs: 250,
  /** While a machine starts, its caller hears so this often. */
  progressStartingMs: 2 * second,
  /** A silent command says that it still runs this often. */
  progressQuietMs: 10 * second,

  /** One MCP request body. */
  mcpBodyMaxBytes: 16 * MiB,
  /** One result: text for the model, and everything together (hosts refuse 1 MB). */
  resultMaxChars: 40_000,
  resultMaxBytes: 900 * 1000,
  /** The text of an error: enough for a diff and the advice after it; more of one only hides that. */
  errorMaxChars: 10_000,
  /** What an error repeats of a name, a glob or a pattern, so that it is known again. */
  echoMaxChars: 200,

  /** Lines of a read that asks for no number, and its text: an answer with its frame. */
  fileReadLines: 2_000,
  fileReadChars: 38_000,
  /** What a line's number and its break count for. */
  fileLineFrameChars: 9,
  /** A longer line is cut, unless few lines were asked for. */
  fileLineChars: 2_000,
  /** Of a larger file the lines are not counted beyond those read: about a second's work. */
  fileCountMaxBytes: 1024 * MiB,
  /** Of a larger file no hash is made on the way: about a tenth of a second's work. */
  fileHashMaxBytes: 64 * MiB,
  /** An edit holds the file in memory, more than once. */
  fileEditMaxBytes: 64 * MiB,
  /** How much of a file tells text from other formats. */
  fileSniffBytes: 8 * KiB,
  /** Files are read in pieces of this. */
  filePieceBytes: 256 * KiB,
  /** Bytes of a read as base64: of one answer, and of one request to the runner. */
  fileBytesDefault: 24 * KiB,
  fileBytesMax: 16 * MiB,
  /** Clients refuse larger images, or end the session over them. */
  imageSideMax: 2_000,
  imageBase64MaxChars: 700 * 1000,
  /** Text of a diff in an answer. */
  fileDiffChars: 12_000,
  /** An overwrite of a larger file shows no diff. */
  fileDiffMaxBytes: 512 * KiB,
  /** An append to a larger file goes to its end in place instead of making the file anew. */
  fileAppendCopyMaxBytes: 4 * MiB,
  fileListDepth: 2,
  fileListDepthMax: 20,
  /** Entries of a list in all, and of one directory below the one that was named. */
  fileListEntries: 500,
  fileListMaxEntries: 5_000,
  fileListInnerEntries: 60,
  /** Entries of one copy, which is refused over it, and those counted before a delete. */
  fileTreeMaxEntries: 1_000_000,

  /** Hits, or files, on one page of a search. */
  searchLimitDefault: 100,
  searchLimitMax: 1_000,
  searchOffsetMax: 100_000,
  searchContextMax: 20,
  /** A longer line is shown as a window around the hit; a match over several lines may take ten times as much. */
  searchLineChars: 400,
  /** Text of the hits: with what is said about them it stays under `resultMaxChars`. */
  searchPageChars: 36_000,
  /** A search answers with what it has after this. */
  searchMaxMs: 30 * second,
  /** Why nothing was found may take so much longer. */
  searchEmptyLookMs: 1_500,
  /** A match over lines needs the whole file in memory, so then larger files are left out, unless named. */
  searchMultilineFileMaxBytes: 128 * MiB,
  /** Linux refuses one argument over 128 KiB; this is far above any honest pattern. */
  searchPatternMaxBytes: 64 * KiB,
  /** As long as a path may be; so many of them are still far below what Linux takes as arguments. */
  searchGlobMaxChars: 4096,
  searchGlobsMax: 100,
  /** ripgrep's own names of types are a word. */
  searchTypeMaxChars: 100,

  /** A stream is written to this often, so that proxies keep it and a client that left is noticed: by the second write. */
  keepAliveMs: second,

  /** A machine without calls and without processes sleeps after this (setting SLEEP_AFTER). */
  sleepAfterMs: 10 * minute,
  /** A background process keeps its machine awake for so long after the last call (setting LONGEST_AWAKE). */
  longestAwakeMs: 4 * hour,
  /** Files that changed are stored this long after the last change (setting CHECKPOINT_AFTER). */
  checkpointAfterMs: 30 * second,
  /** Under changes that never pause a checkpoint is taken at least this often, as a multiple of CHECKPOINT_AFTER. */
  checkpointPatience: 4,
  /** Automatic checkpoints kept; those with a name stay until they are deleted. */
  checkpointsAutomaticMax: 20,
  /** Stored bytes of one sandbox, compressed: some full disks of the usual machine. */
  checkpointsQuotaBytes: 10 * 1024 * MiB,
  /** Above this part of the quota every list says that it is near. */
  checkpointsNearQuota: 0.8,
  /** Deltas above a base before they are taken together: each is a request when a machine starts. */
  checkpointChainMax: 16,
  /** Deltas together heavier than their base are taken together, or with it, but not while they weigh less than this. */
  checkpointChainFreeBytes: 8 * MiB,
  /** A machine told to end waits this long for its last checkpoint to be asked for, and then to be fetched. */
  checkpointEndingMs: 500,
  checkpointEndingMaxMs: 25 * second,
  /** One wait for a machine's end; then it is asked again. */
  checkpointWatchMs: 5 * minute,
  /** One that is not taken or restored by then is given up: some GB take a minute or two. */
  checkpointMaxMs: 10 * minute,
  /** Files that could not be stored are tried again, at the latest after this. */
  checkpointRetryMaxMs: 10 * minute,
  checkpointNameChars: 80,
  /** Names of each kind in a diff of checkpoints, and characters of the text of one file. */
  checkpointDiffNames: 200,
  checkpointDiffChars: 20_000,

  /** Counting the disk stops here: a status must come at once. */
  usageMaxMs: 2 * second,
  /** Of one principal (settings MAX_SANDBOXES and MAX_AWAKE). */
  sandboxesMax: 20,
  awakeMax: 5,
  /** The least that configure takes: a machine must outlive the pause between two calls. */
  sleepAfterMinMs: 10 * second,
  /** Environment variables of a sandbox: they are added to every command, beside the call's own. */
  sandboxEnvMaxBytes: 64 * KiB,
  sandboxEnvMaxVariables: 200,
  /** A preview that is forgotten ends by itself. */
  previewDefaultMs: 24 * hour,
  previewMaxMs: 30 * 24 * hour,
  previewsMax: 20,
  /** The page for a port that nobody listens on asks again this often. */
  previewReloadMs: 1 * second,
  /** A machine that was told to stop and is still there after this, its last checkpoint included, is ended by force. */
  machineStopMs: 30 * second,
  /** Between attempts to get a machine while the platform has none: doubled each time, up to the second. */
  startRetryMinMs: 500,
  startRetryMaxMs: 8 * second,
  /** When to try again after those were of no use. */
  startRetryLaterMs: 15 * second,
  /** A machine that is not up after this is a failure that says so. */
  machineStartMs: 2 * minute,
  /** How often a starting machine is asked whether its port is open. */
  portPollMs: 15,

  /** Code of one run_js call; parsing more would hold up other requests of the same isolate. */
  codeMaxChars: 256 * 1024,
  /** Isolates at once; the platform allows 4 in flight for one request. The others queue. */
  isolatesAtOnce: 4,
  /** A run that queued for longer says so. */
  isolateQueueQuietMs: 1 * second,
  /** Processor time of one isolate, which ends an endless loop where the platform keeps it; the timer cannot. */
  isolateCpuMs: 10 * second,
  /** Provider calls of one run: more is work for one command in the machine. */
  runCallsMax: 500,
  /** Provider calls at once: the others wait inside, where their arguments cost the isolate. */
  runCallsAtOnce: 16,
  /** Arguments, and result, of one provider call: the platform's copies of both count against 128 MB. */
  runCallMaxBytes: 8 * MiB,
  /** Arguments and results of all provider calls of a run. */
  runMaxBytes: 64 * MiB,
  /** The value a run returns, as it leaves the isolate: several answers, so that the cut to `resultMaxChars` can choose. */
  runResultMaxChars: 256 * KiB,
  /** Logs of a run that leave the isolate; more are counted only. */
  runLogMaxChars: 256 * KiB,
  /** Logs in an answer, the first and the last, so that a value has room beside them. */
  answerLogChars: 10_000,
  /** One value of `state`, and how many a sandbox keeps: for notes between runs, not for data. */
  stateValueMaxChars: 64 * KiB,
  stateKeyMaxChars: 256,
  stateKeysMax: 1_000,
  /** One answer of an API that a provider asks. */
  providerResponseMaxBytes: 8 * MiB,
} as const;
