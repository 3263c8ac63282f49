#include "runtime/signing/signing.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cstring>
#include <memory>

#include "runtime/base/status_macros.h"
#include "runtime/program/program_file.h"

namespace dynacc::signing {
namespace {

template <auto kFree>
struct FreeBy {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, FreeBy<&BIO_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreeBy<&EVP_PKEY_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeBy<&EVP_MD_CTX_free>>;

constexpr absl::string_view kDomain = "DynaCC program\n";

// No password: OpenSSL would ask the terminal for one.
int NoPassword(char*, int, int, void*) { return -1; }

using ReadKey = EVP_PKEY* (*)(BIO*, EVP_PKEY**, pem_password_cb*, void*);

absl::StatusOr<Key> KeyOf(absl::string_view pem, ReadKey read, absl::string_view kind) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Key key(bio == nullptr ? nullptr : read(bio.get(), nullptr, &NoPassword, nullptr));
  if (key == nullptr || EVP_PKEY_get_id(key.get()) != EVP_PKEY_ED25519) {
    return absl::InvalidArgumentError(
        absl::StrCat("the key is no ", kind, " key for Ed25519 in PEM without a password"));
  }
  return key;
}

absl::Status Failed() { return absl::InternalError("libcrypto failed"); }

// What is signed of a file.
absl::StatusOr<std::string> MessageOf(const program::SealedFile& file) {
  const DigestContext context(EVP_MD_CTX_new());
  bool is_good = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha512(), nullptr) == 1;
  for (const absl::string_view part : file.signed_parts) {
    is_good = is_good && EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (!is_good || EVP_DigestFinal_ex(context.get(), digest, &size) != 1) return Failed();
  return absl::StrCat(kDomain, absl::string_view(reinterpret_cast<const char*>(digest), size));
}

const unsigned char* Bytes(absl::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// The public key's 32 bytes.
bool ReadPublic(EVP_PKEY* key, char (&bytes)[32]) {
  size_t size = sizeof bytes;
  return EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(bytes), &size) == 1 &&
         size == sizeof bytes;
}

}  // namespace

absl::StatusOr<std::string> Sign(absl::string_view file, absl::string_view key) {
  DYNACC_ASSIGN_OR_RETURN(const Key owned, KeyOf(key, &PEM_read_bio_PrivateKey, "private"));
  program::Seal seal = {};
  if (!ReadPublic(owned.get(), seal.key)) return Failed();
  // With the signature still to come, which is not signed.
  DYNACC_ASSIGN_OR_RETURN(const std::string unsigned_file, program::WithSeal(file, seal));
  DYNACC_ASSIGN_OR_RETURN(const program::SealedFile sealed, program::FindSeal(unsigned_file));
  DYNACC_ASSIGN_OR_RETURN(const std::string message, MessageOf(sealed));
  const DigestContext context(EVP_MD_CTX_new());
  size_t size = sizeof seal.signature;
  const bool is_signed =
      context != nullptr &&
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, owned.get()) == 1 &&
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(seal.signature), &size,
                     Bytes(message), message.size()) == 1 &&
      size == sizeof seal.signature;
  if (!is_signed) return Failed();
  return program::WithSeal(file, seal);
}

absl::Status CheckPublicKey(absl::string_view key) {
  return KeyOf(key, &PEM_read_bio_PUBKEY, "public").status();
}

absl::Status Verify(absl::string_view file, absl::string_view key) {
  DYNACC_ASSIGN_OR_RETURN(const Key owned, KeyOf(key, &PEM_read_bio_PUBKEY, "public"));
  DYNACC_ASSIGN_OR_RETURN(const program::SealedFile sealed, program::FindSeal(file));
  if (!sealed.seal) return absl::PermissionDeniedError("it is not signed");
  char bytes[sizeof sealed.seal->key];
  if (!ReadPublic(owned.get(), bytes)) return Failed();
  if (std::memcmp(bytes, sealed.seal->key, sizeof bytes) != 0) {
    return absl::PermissionDeniedError("it is signed by another key");
  }
  DYNACC_ASSIGN_OR_RETURN(const std::string message, MessageOf(sealed));
  const DigestContext context(EVP_MD_CTX_new());
  const bool is_good =
      context != nullptr &&
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, owned.get()) == 1 &&
      EVP_DigestVerify(context.get(),
                       Bytes({sealed.seal->signature, sizeof sealed.seal->signature}),
                       sizeof sealed.seal->signature, Bytes(message), message.size()) == 1;
  return is_good ? absl::OkStatus()
                 : absl::PermissionDeniedError("its signature is not that of its bytes");
}

}  // namespace dynacc::signing
