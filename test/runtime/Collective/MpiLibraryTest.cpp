//===- MpiLibraryTest.cpp - Loads an MPI library --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/MpiCollective.h"

#include <gtest/gtest.h>
#include <map>

using namespace ingot;

namespace {

using Names = std::vector<std::string>;

Names candidates(const std::map<std::string, std::string> &variables,
                 const std::string &path = "") {
  return MpiLibrary::candidates(path, [&](const char *name) -> const char * {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

} // namespace

TEST(MpiLibraryTest, the_launchers_library_comes_first) {
  EXPECT_EQ(candidates({}).front(), "libmpi_abi.so.0");
  EXPECT_EQ(candidates({{"PMI_SIZE", "4"}}).front(), "libmpi_abi.so.0");
  EXPECT_EQ(candidates({{"OMPI_COMM_WORLD_SIZE", "4"}}).front(),
            "libmpi.so.40");
  EXPECT_EQ(candidates({{"PMIX_RANK", "0"}}).front(), "libmpi.so.40");
  EXPECT_EQ(candidates({{"PMIX_RANK", "0"}, {"PMI_SIZE", "2"}}).front(),
            "libmpi_abi.so.0");
  // The others stay: a launcher may start what another library understands.
  EXPECT_EQ(candidates({{"OMPI_COMM_WORLD_SIZE", "4"}}).size(),
            candidates({}).size());
}

TEST(MpiLibraryTest, a_library_that_is_named_is_the_only_one) {
  EXPECT_EQ(candidates({{"OMPI_COMM_WORLD_SIZE", "4"}}, "/opt/libmpi.so"),
            Names{"/opt/libmpi.so"});
}

TEST(MpiLibraryTest, a_library_that_is_not_there_is_named) {
  auto library = MpiLibrary::load({"libno-mpi-1.so", "libno-mpi-2.so"});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.status().code(), StatusCode::NotFound);
  const std::string &message = library.status().message();
  EXPECT_NE(message.find("libno-mpi-1.so"), std::string::npos) << message;
  EXPECT_NE(message.find("libno-mpi-2.so"), std::string::npos) << message;
  EXPECT_NE(message.find("--mpi-library"), std::string::npos) << message;
}

TEST(MpiLibraryTest, another_library_is_refused_by_what_it_lacks) {
  auto library = MpiLibrary::load({"libm.so.6"});
  ASSERT_FALSE(library);
  EXPECT_EQ(library.status().message(),
            "'libm.so.6' is no MPI library of version 3 or later: it lacks "
            "MPI_Init_thread");
}

TEST(MpiLibraryTest, an_unknown_binary_interface_is_refused) {
  auto library = MpiLibrary::load({INGOT_UNKNOWN_MPI});
  ASSERT_FALSE(library);
  const std::string &message = library.status().message();
  EXPECT_NE(message.find("unknown ABI"), std::string::npos);
  EXPECT_NE(message.find("MPIR_Dup_fn"), std::string::npos);
}

TEST(MpiLibraryTest, the_interface_of_mpi_5_is_spoken) {
  auto library = MpiLibrary::load({INGOT_FAKE_MPI});
  ASSERT_TRUE(library) << library.status().message();
  EXPECT_EQ(library->version(), "Fake MPI 5.0");
  MpiLibrary wrong = *library;
  auto engine =
      MpiCollective::start(std::move(*library), CollectiveEngineOptions());
  ASSERT_TRUE(engine) << engine.status().message();
  EXPECT_EQ((*engine)->rank(), 0u);
  EXPECT_EQ((*engine)->size(), 1u);
  EXPECT_TRUE((*engine)->finalize().isOk());
  // Open MPI's and MPICH's handles are none of its own.
  wrong.constants.errorsReturn = 0x54000001;
  auto other =
      MpiCollective::start(std::move(wrong), CollectiveEngineOptions());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.status().message(),
            "MPI_Comm_set_errhandler failed: invalid error handler");
}

TEST(MpiLibraryTest, calls_are_made_by_a_thread_that_may) {
  for (const char *path : {INGOT_FAKE_MPI, INGOT_FUNNELED_MPI}) {
    auto library = MpiLibrary::load({path});
    ASSERT_TRUE(library) << library.status().message();
    auto engine =
        MpiCollective::start(std::move(*library), CollectiveEngineOptions());
    ASSERT_TRUE(engine) << engine.status().message();
    Status status = (*engine)->exchange({}, {});
    EXPECT_TRUE(status.isOk()) << status.message();
    status = (*engine)->finalize();
    EXPECT_TRUE(status.isOk()) << status.message();
  }
}

TEST(MpiLibraryTest, versions_are_short) {
  EXPECT_EQ(shortMpiVersion("Open MPI v4.1.4, package: Debian OpenMPI, ident"),
            "Open MPI 4.1.4");
  EXPECT_EQ(shortMpiVersion("MPICH Version:\t4.0.2\nMPICH Release date:\tThu"),
            "MPICH 4.0.2");
  EXPECT_EQ(shortMpiVersion("Intel(R) MPI Library 2021.9 for Linux* OS\n"),
            "Intel(R) MPI Library 2021.9");
  EXPECT_EQ(shortMpiVersion("MVAPICH2 Version      :\t2.3.7"),
            "MVAPICH2 2.3.7");
  EXPECT_EQ(shortMpiVersion(""), "an unnamed MPI");
}
