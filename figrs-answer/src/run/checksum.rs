//! Checksums of data that serde serialises, which detect damage of saved runs and fits.

use std::hash::Hasher;

use figrs_factor::fnv::Fnv;
use serde::de::value::Error;
use serde::ser::{self, Serialize, Serializer};

/// Returns a checksum of the data that serde would write for `value`. Two numbers with different bits have different data.
///
/// **Errors.** A message, if the implementation of `Serialize` returns an error.
pub fn checksum(value: &(impl Serialize + ?Sized)) -> Result<u64, String> {
    let mut hash = HashingSerializer(Fnv::default());
    let outcome = value.serialize(&mut hash);
    outcome.map_err(|error| error.to_string())?;
    Ok(hash.0.finish())
}

/// A serializer that writes into a hash function instead of a file.
struct HashingSerializer(Fnv);

macro_rules! numbers {
    ($($method:ident($number:ident: $type:ty) => $bits:expr;)+) => {$(
        fn $method(self, $number: $type) -> Result<(), Error> {
            self.serialize_u64($bits)
        }
    )+};
}

impl<'a> Serializer for &'a mut HashingSerializer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = &'a mut HashingSerializer;
    type SerializeTuple = &'a mut HashingSerializer;
    type SerializeTupleStruct = &'a mut HashingSerializer;
    type SerializeTupleVariant = &'a mut HashingSerializer;
    type SerializeMap = &'a mut HashingSerializer;
    type SerializeStruct = &'a mut HashingSerializer;
    type SerializeStructVariant = &'a mut HashingSerializer;

    numbers! {
        serialize_bool(n: bool) => u64::from(n);
        serialize_i8(n: i8) => i64::from(n).cast_unsigned();
        serialize_i16(n: i16) => i64::from(n).cast_unsigned();
        serialize_i32(n: i32) => i64::from(n).cast_unsigned();
        serialize_i64(n: i64) => n.cast_unsigned();
        serialize_u8(n: u8) => u64::from(n);
        serialize_u16(n: u16) => u64::from(n);
        serialize_u32(n: u32) => u64::from(n);
        serialize_f32(n: f32) => u64::from(n.to_bits());
        serialize_f64(n: f64) => n.to_bits();
        serialize_char(c: char) => u64::from(c);
    }

    fn serialize_u64(self, n: u64) -> Result<(), Error> {
        self.0.write_u64(n);
        Ok(())
    }

    fn serialize_i128(self, n: i128) -> Result<(), Error> {
        self.serialize_u128(n.cast_unsigned())
    }

    fn serialize_u128(self, n: u128) -> Result<(), Error> {
        self.serialize_bytes(&n.to_le_bytes())
    }

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        self.serialize_bytes(text.as_bytes())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        self.0.write_usize(bytes.len());
        self.0.write(bytes);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_u8(0)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.0.write_u8(1);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
    ) -> Result<(), Error> {
        self.serialize_u32(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.0.write_u32(variant);
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, Error> {
        // An unknown number of items counts as the largest number.
        self.0.write_usize(length.unwrap_or(usize::MAX));
        Ok(self)
    }

    fn serialize_tuple(self, length: usize) -> Result<Self, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<Self, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        length: usize,
    ) -> Result<Self, Error> {
        self.0.write_u32(variant);
        self.serialize_seq(Some(length))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self, Error> {
        self.serialize_seq(length)
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Self, Error> {
        self.serialize_seq(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        length: usize,
    ) -> Result<Self, Error> {
        self.0.write_u32(variant);
        self.serialize_seq(Some(length))
    }
}

macro_rules! compounds {
    ($($compound:ident: $($method:ident($($name:ident: $kind:ty)?)),+;)+) => {$(
        impl ser::$compound for &mut HashingSerializer {
            type Ok = ();
            type Error = Error;

            $(fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($name: $kind,)?
                value: &T,
            ) -> Result<(), Error> {
                value.serialize(&mut **self)
            })+

            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        }
    )+};
}

compounds! {
    SerializeSeq: serialize_element();
    SerializeTuple: serialize_element();
    SerializeTupleStruct: serialize_field();
    SerializeTupleVariant: serialize_field();
    SerializeMap: serialize_key(), serialize_value();
    SerializeStruct: serialize_field(_name: &'static str);
    SerializeStructVariant: serialize_field(_name: &'static str);
}
