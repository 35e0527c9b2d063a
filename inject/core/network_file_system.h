// SPDX-License-Identifier: Apache-2.0
// Which file systems lie on other machines: slow, and a lock there may wait for a server.
#pragma once

#include <cstdint>

namespace syncline {

// `type` is statfs's f_type.
inline constexpr bool IsNetworkFileSystemType(uint32_t type) {
  switch (type) {
    case 0x6969:      // NFS
    case 0x0BD00BD0:  // Lustre
    case 0x47504653:  // GPFS
    case 0x517B:      // SMB
    case 0xFE534D42:  // SMB2
    case 0xFF534D42:  // CIFS
    case 0x19830326:  // BeeGFS
    case 0x00C36400:  // Ceph
    case 0x65735546:  // FUSE: sshfs, DAOS and others
    case 0x01021997:  // 9P
      return true;
    default:
      return false;
  }
}

}  // namespace syncline
