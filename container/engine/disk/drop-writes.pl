# Shuts down the ext4 file system of a directory, so that its end writes nothing: its image is about to be removed.
# EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH.
my $flags = pack("L", 2);
open(my $directory, "<", $ARGV[0]) or exit 1;
ioctl($directory, 0x8004587D, $flags) or exit 1;
