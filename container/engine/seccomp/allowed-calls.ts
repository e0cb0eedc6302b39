// The system calls that every process of a machine may make. Everything else is refused. The list follows Docker's default
// profile (github.com/moby/profiles, seccomp/default.json at 02e898b137ae) for a container with the capabilities of a machine.
// Where the two differ, the reason stands beside it. Calls that exist on one architecture only are named with the others.

import type { ArgumentRule } from "./filter-program.ts";

const names = (text: string): string[] => text.trim().split(/\s+/);

const FILES = names(`
  access cachestat chdir chmod chown chroot close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2
  fadvise64 fallocate fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr
  flock fremovexattr fsetxattr fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr getxattrat
  inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_setup
  io_submit ioctl lchown lgetxattr link linkat listmount listxattr listxattrat llistxattr lremovexattr lseek lsetxattr lstat
  mkdir mkdirat mknod mknodat name_to_handle_at newfstatat open openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64
  pwritev pwritev2 read readahead readlink readlinkat readv removexattr removexattrat rename renameat renameat2 rmdir sendfile
  setxattr setxattrat splice stat statfs statmount statx symlink symlinkat sync sync_file_range syncfs tee truncate umask
  unlink unlinkat utime utimensat utimes vmsplice write writev
`);

const WAITING = names(`
  epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2
  poll ppoll pselect6 select
`);

const MEMORY = names(`
  brk madvise map_shadow_stack membarrier memfd_create memfd_secret mincore mlock mlock2 mlockall mmap mprotect mremap mseal
  msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect remap_file_pages
`);

const PROCESSES = names(`
  arch_prctl execve execveat exit exit_group fork get_robust_list get_thread_area getpgid getpgrp getpid getppid getrlimit
  getrusage getsid gettid modify_ldt pidfd_open prctl process_mrelease process_vm_readv process_vm_writev ptrace
  restart_syscall rseq set_robust_list set_thread_area set_tid_address setpgid setsid uretprobe vfork wait4 waitid
`);

const SIGNALS = names(`
  kill pause pidfd_send_signal rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
  rt_sigtimedwait rt_tgsigqueueinfo sigaltstack signalfd signalfd4 tgkill tkill
`);

const USERS = names(`
  capget capset getegid geteuid getgid getgroups getresgid getresuid getuid setfsgid setfsuid setgid setgroups setregid
  setresgid setresuid setreuid setuid
`);

const TIME = names(`
  adjtimex alarm clock_adjtime clock_getres clock_gettime clock_nanosleep getitimer gettimeofday nanosleep setitimer time
  timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times
`);

const SCHEDULING = names(`
  futex futex_requeue futex_wait futex_waitv futex_wake getcpu getpriority ioprio_get ioprio_set sched_get_priority_max
  sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
  sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield setpriority
`);

const MESSAGES = names(`
  accept accept4 bind connect getpeername getsockname getsockopt listen mq_getsetattr mq_notify mq_open mq_timedreceive
  mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd recvfrom recvmmsg recvmsg semctl semget semop semtimedop sendmmsg sendmsg
  sendto setsockopt shmat shmctl shmdt shmget shutdown
`);

const SYSTEM = names(`
  getrandom landlock_add_rule landlock_create_ruleset landlock_restrict_self seccomp sysinfo uname
`);

export const ALLOWED_CALLS: readonly string[] = [
  ...[...FILES, ...WAITING, ...MEMORY, ...PROCESSES, ...SIGNALS],
  ...[...USERS, ...TIME, ...SCHEDULING, ...MESSAGES, ...SYSTEM],
];

/** What namespaces within a machine are made of, and what a process that is root in them may do there. */
export const NAMESPACE_CALLS: readonly string[] = names(`
  clone clone3 fsconfig fsmount fsopen fspick mount mount_setattr move_mount open_tree pivot_root setdomainname sethostname
  setns umount2 unshare
`);

/** Answered as by a kernel that lacks them. The filter cannot see the flags of clone3, and C libraries try clone after it. */
export const ABSENT_CALLS: readonly string[] = ["clone3"];

/** All of CLONE_NEW* that clone knows: namespaces for mounts, cgroups, UTS, IPC, users, processes and the network. */
const CLONE_NAMESPACES = 0x7e020000;

/**
 * Unix, IPv4, IPv6 and netlink sockets. Docker allows many other families, packets among them; a machine's network carries
 * nothing but HTTP and DNS.
 */
const ADDRESS_FAMILIES = [1, 2, 10, 16];

/** Only SOCK_PACKET, 10, has this bit: an IPv4 socket of that type is a packet socket. */
const PACKET_TYPE = 8;

/**
 * Docker's five, the last of which only asks, and ADDR_NO_RANDOMIZE, which concerns nobody but the process itself: debuggers set
 * it, and programs built with the thread sanitizer end where they cannot.
 */
const PERSONALITIES = [0, 0x8, 0x20000, 0x20008, 0xffffffff, 0x40000];

/**
 * The limit for core files stays at 1, at which the kernel starts no program of the host that takes them (see spawn-machine.ts);
 * at 0 it would. Programs that mean to have none, and some end when they cannot, are told that it is done.
 */
const RLIMIT_CORE = 4;

/** Calls that are allowed with some arguments only. Each of these arguments has 32 bits. */
export const ARGUMENT_RULES: Readonly<Record<string, readonly ArgumentRule[]>> = {
  clone: [{ argument: 0, withoutBits: CLONE_NAMESPACES }],
  socket: [
    { argument: 0, values: ADDRESS_FAMILIES },
    { argument: 1, withoutBits: PACKET_TYPE },
  ],
  socketpair: [{ argument: 0, values: ADDRESS_FAMILIES }],
  personality: [{ argument: 0, values: PERSONALITIES }],
  setrlimit: [{ argument: 0, ignored: RLIMIT_CORE, pointer: 1 }],
  prlimit64: [{ argument: 1, ignored: RLIMIT_CORE, pointer: 2 }],
};
