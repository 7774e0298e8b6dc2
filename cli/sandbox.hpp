// What is left to a process that decodes files from strangers, once it has all it needs.
#pragma once

namespace cuesta::cli {

/// From here on this process and all its threads read files, answer on sockets that they have, and
/// work. They start no program and no process, make no socket, open no file for writing, change,
/// remove or rename none, signal and trace nobody; what they try of it fails with EPERM. There is
/// no way back. Linux's seccomp does it, on x86-64 and aarch64. Throws Error{unsupported} where the
/// system does not.
void enter_sandbox();

/// The same, but for files: making, opening for writing, naming, renaming and removing one,
/// changing its rights and making a folder is asked of whoever holds the descriptor that this
/// returns, once for each such call, which waits for the answer (seccomp_unotify(2); cli/fence.hpp
/// answers). Of a process with one thread.
int enter_asking_sandbox();

}  // namespace cuesta::cli
