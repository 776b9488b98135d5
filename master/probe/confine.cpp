#include "master/probe/confine.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace probe {
namespace {

#if defined(__aarch64__)
constexpr std::uint32_t this_architecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t this_architecture = AUDIT_ARCH_X86_64;
#endif

// Rights that newer kernels know than the headers of Debian 12.
constexpr std::uint64_t truncate_right = 1ULL << 14U, device_control_right = 1ULL << 15U;

void limit(__rlimit_resource resource, rlim_t most) {
    const rlimit both{most, most};
    setrlimit(resource, &both);
}

void limit_resources(unsigned int seconds) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds + 1);
    limit(RLIMIT_AS, 8ULL << 30U);
    limit(RLIMIT_FSIZE, 1ULL << 30U);
    limit(RLIMIT_NOFILE, 256);
}

bool allow_below(int rules, const char* path, std::uint64_t rights) {
    const int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) return false;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = rights;
    rule.parent_fd = place;
    const bool added = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(place);
    return added;
}

enum class Writing { kept_in_folder, kept_in_folder_but_truncation, unrestricted };

/// Reading stays free: libraries and data of the system are what a unit needs.
Writing keep_writing_inside(const Confinement& confinement) {
    const auto left_out = [&](const char* what) { return confinement.without.find(what) != std::string::npos; };
    const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1 || left_out("landlock")) return Writing::unrestricted;
    const bool truncation = version >= 3 && !left_out("truncate");
    std::uint64_t rights = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                           LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                           LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                           LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
    if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
    if (truncation) rights |= truncate_right;
    if (version >= 5) rights |= device_control_right;
    landlock_ruleset_attr handled{};
    handled.handled_access_fs = rights;
    const auto rules =
        static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0));
    if (rules < 0) return Writing::unrestricted;
    const std::uint64_t of_file = LANDLOCK_ACCESS_FS_WRITE_FILE | (truncation ? truncate_right : 0);
    const bool complete = allow_below(rules, confinement.folder.c_str(), rights) &&
                          allow_below(rules, "/dev/null", of_file) &&
                          syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    if (!complete) return Writing::unrestricted;
    return truncation ? Writing::kept_in_folder : Writing::kept_in_folder_but_truncation;
}

/// A filter of system calls, written rule by rule; what no rule names is allowed.
class CallFilter {
public:
    CallFilter() {
        load(offsetof(seccomp_data, arch));
        jump(BPF_JEQ, this_architecture, 1, 0);
        add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
        load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
        constexpr std::uint32_t x32_calls = 0x40000000;  // another table of numbers for the same calls
        jump(BPF_JGE, x32_calls, 0, 1);
        refuse(ENOSYS);
#endif
    }

    void refuse_call(long number, int error = EPERM) {
        jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 1);
        refuse(error);
    }
    /// Unless the lower half of an argument is that value.
    void refuse_unless(long number, int argument, std::uint32_t value) {
        jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
        load(low_half(argument));
        jump(BPF_JEQ, value, 1, 0);
        refuse(EPERM);
        load(offsetof(seccomp_data, nr));
    }
    void refuse_unless_any_bit(long number, int argument, std::uint32_t bits) {
        jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
        load(low_half(argument));
        jump(BPF_JSET, bits, 1, 0);
        refuse(EPERM);
        load(offsetof(seccomp_data, nr));
    }
    void refuse_if_any_bit(long number, int argument, std::uint32_t bits) {
        jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 4);
        load(low_half(argument));
        jump(BPF_JSET, bits, 0, 1);
        refuse(EACCES);
        load(offsetof(seccomp_data, nr));
    }
    void refuse_if_equal(long number, int argument, std::uint32_t mask, std::uint32_t value) {
        jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, 5);
        load(low_half(argument));
        add(BPF_ALU | BPF_AND | BPF_K, mask);
        jump(BPF_JEQ, value, 0, 1);
        refuse(EACCES);
        load(offsetof(seccomp_data, nr));
    }
    [[nodiscard]] bool install() {
        add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
        const sock_fprog program{static_cast<unsigned short>(rules_.size()), rules_.data()};
        return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
    }

private:
    static std::size_t low_half(int argument) {  // of a little-endian machine
        return offsetof(seccomp_data, args) + static_cast<std::size_t>(argument) * sizeof(std::uint64_t);
    }
    void add(int code, std::uint32_t value) { rules_.push_back({static_cast<std::uint16_t>(code), 0, 0, value}); }
    void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
    void jump(int test, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
        rules_.push_back({static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), yes, no, value});
    }
    void refuse(int error) { add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }

    std::vector<sock_filter> rules_;
};

/// Calls that change what is on the disk, of which Landlock has no notion.
void refuse_changes_of_attributes(CallFilter& filter) {
    for (const long call : {SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_setxattr, SYS_lsetxattr,
                            SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr, SYS_utimensat,
                            SYS_mount, SYS_umount2, SYS_swapon, SYS_quotactl})
        filter.refuse_call(call);
#if defined(__x86_64__)
    for (const long call : {SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat})
        filter.refuse_call(call);
#endif
}

/// Where Landlock does not know truncation: the two ways that need no descriptor opened for writing.
void refuse_truncation(CallFilter& filter) {
    filter.refuse_call(SYS_truncate, EACCES);
    for (const std::uint32_t access : {0U, 3U}) {  // reading, and neither reading nor writing
        filter.refuse_if_equal(SYS_openat, 2, O_ACCMODE | O_TRUNC, access | O_TRUNC);
#if defined(__x86_64__)
        filter.refuse_if_equal(SYS_open, 1, O_ACCMODE | O_TRUNC, access | O_TRUNC);
#endif
    }
}

/// Where there is no Landlock nothing is written at all, also not in the folder.
void refuse_writing(CallFilter& filter) {
    constexpr std::uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    filter.refuse_if_any_bit(SYS_openat, 2, writing);
    for (const long call :
         {SYS_truncate, SYS_mkdirat, SYS_mknodat, SYS_unlinkat, SYS_renameat, SYS_renameat2, SYS_linkat, SYS_symlinkat})
        filter.refuse_call(call, EACCES);
#if defined(__x86_64__)
    filter.refuse_if_any_bit(SYS_open, 1, writing);
    for (const long call : {SYS_creat, SYS_mkdir, SYS_mknod, SYS_unlink, SYS_rmdir, SYS_rename, SYS_link, SYS_symlink})
        filter.refuse_call(call, EACCES);
#endif
}

bool filter_calls(Writing writing) {
    CallFilter filter;
    // Sockets of every kind: a desktop's services listen on local ones.
    filter.refuse_call(SYS_socket, EACCES);
    // Ways around a filter of arguments, which it cannot see.
    filter.refuse_call(SYS_openat2, ENOSYS);
    filter.refuse_call(SYS_io_uring_setup);
    filter.refuse_call(SYS_open_by_handle_at);
    // Threads are a unit's own, processes would outlive it; libraries fall back from clone3.
    filter.refuse_call(SYS_clone3, ENOSYS);
    filter.refuse_unless_any_bit(SYS_clone, 0, CLONE_THREAD);
#if defined(__x86_64__)
    filter.refuse_call(SYS_fork);
    filter.refuse_call(SYS_vfork);
#endif
    // Others of the same user.
    const auto self = static_cast<std::uint32_t>(getpid());
    for (const long call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
        filter.refuse_unless(call, 0, self);
    for (const long call : {SYS_tkill, SYS_pidfd_send_signal, SYS_ptrace, SYS_process_vm_writev, SYS_pidfd_getfd,
                            SYS_setpriority, SYS_shmget, SYS_msgget, SYS_semget})
        filter.refuse_call(call);
    filter.refuse_unless(SYS_prlimit64, 0, 0);
    refuse_changes_of_attributes(filter);
    if (writing == Writing::kept_in_folder_but_truncation) refuse_truncation(filter);
    if (writing == Writing::unrestricted) refuse_writing(filter);
    return filter.install();
}

}  // namespace

std::vector<std::string> confine(const Confinement& confinement) {
    limit_resources(confinement.seconds);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return {"this kernel withholds nothing from it"};
    const Writing writing = keep_writing_inside(confinement);
    const bool filtered = confinement.without.find("seccomp") == std::string::npos && filter_calls(writing);
    std::vector<std::string> missing;
    if (!filtered) missing.emplace_back("network, new processes and signals to others are not withheld (no seccomp)");
    if (writing == Writing::unrestricted)
        missing.emplace_back(filtered ? "nothing may be written, also not in its own folder (no Landlock)"
                                      : "it may write anywhere (no Landlock)");
    if (writing == Writing::kept_in_folder_but_truncation && !filtered)
        missing.emplace_back("files outside its folder may be truncated (Landlock before version 3, no seccomp)");
    return missing;
}

}  // namespace probe
