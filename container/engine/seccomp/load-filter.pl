#!/usr/bin/perl
# Loads a filter of system calls (seccomp(2)) for itself and for everything that it starts, then becomes the command.
# Arguments: the number of the system call seccomp, the filter's program in hexadecimal, the command.
use strict;
use warnings;

my $SECCOMP_SET_MODE_FILTER = 1;
# Without this, kernels before 5.16 would also turn off speculation for all that runs under a filter, which slows it down.
my $SECCOMP_FILTER_FLAG_SPEC_ALLOW = 4;
my $INSTRUCTION_BYTES = 8;

my ($seccomp, $hexadecimal) = splice @ARGV, 0, 2;
my $instructions = pack "H*", $hexadecimal;
my $program = pack "S x6 P", length($instructions) / $INSTRUCTION_BYTES, $instructions;
syscall(0 + $seccomp, $SECCOMP_SET_MODE_FILTER, $SECCOMP_FILTER_FLAG_SPEC_ALLOW, $program) == 0 or die "seccomp: $!";
exec @ARGV or die "exec: $!";
